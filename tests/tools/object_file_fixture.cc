// Object files with a vtable, for object_file_test.

struct Base {
  virtual ~Base();
  virtual int Get();
  virtual int Set();
};

Base::~Base() {}
int Base::Get() { return 1; }
int Base::Set() { return 2; }

#if defined(FIXTURE_ALIAS)
asm(".globl other_name_of_set\n.set other_name_of_set, _ZN4Base3SetEv\n");
#elif defined(FIXTURE_PLACE)
// A reference by address, as from a compiler that ignores symbol interposition.
asm(".set .Lset, _ZN4Base3SetEv\n.section .data.rel.ro,\"aw\"\n.quad .Lset\n.text\n");
#endif
