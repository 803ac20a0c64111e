// QEMU plugin that counts a program's instructions and prints the number at exit. Debian has no
// header package for plugins of qemu-user, so the functions of version 1 of the interface are
// declared here.

#include <inttypes.h>
#include <stdio.h>

struct qemu_plugin_tb;
enum Operation { kAdd = 0 };
size_t qemu_plugin_tb_n_insns(const struct qemu_plugin_tb* block);
void qemu_plugin_register_vcpu_tb_trans_cb(uint64_t id,
                                           void (*call)(uint64_t id, struct qemu_plugin_tb* block));
void qemu_plugin_register_vcpu_tb_exec_inline(struct qemu_plugin_tb* block,
                                              enum Operation operation, void* number,
                                              uint64_t operand);
void qemu_plugin_register_atexit_cb(uint64_t id, void (*call)(uint64_t id, void* data), void* data);

#define EXPORTED __attribute__((visibility("default")))
EXPORTED int qemu_plugin_version = 1;

static uint64_t instructions;  // over all threads; concurrent increments may be lost

static void Translate(uint64_t id, struct qemu_plugin_tb* block) {
  (void)id;
  qemu_plugin_register_vcpu_tb_exec_inline(block, kAdd, &instructions,
                                           qemu_plugin_tb_n_insns(block));
}

static void Report(uint64_t id, void* data) {
  (void)id;
  (void)data;
  fprintf(stderr, "instructions %" PRIu64 "\n", instructions);
}

EXPORTED int qemu_plugin_install(uint64_t id, const void* info, int count, char** arguments) {
  (void)info;
  (void)count;
  (void)arguments;
  qemu_plugin_register_vcpu_tb_trans_cb(id, Translate);
  qemu_plugin_register_atexit_cb(id, Report, NULL);
  return 0;
}
