// A library with a function that calls another of its functions.

extern "C" {

__attribute__((visibility("default"), noinline)) int winnow_test_inner(int number) {
  return number + 1;
}

__attribute__((visibility("default"))) int winnow_test_outer(int number) {
  return 2 * winnow_test_inner(number);
}

}  // extern "C"
