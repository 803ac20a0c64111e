# Toolchain file of the presets arm64 and s390x, a big-endian machine, which say the processor: Debian's cross compiler
# (g++-aarch64-linux-gnu, g++-s390x-linux-gnu), and its emulator (qemu-user) for the programs that the build and the tests
# run.
set(CMAKE_SYSTEM_NAME Linux)
set(CMAKE_SYSTEM_PROCESSOR ${WINNOW_EMULATED})
set(CMAKE_C_COMPILER ${WINNOW_EMULATED}-linux-gnu-gcc)
set(CMAKE_CXX_COMPILER ${WINNOW_EMULATED}-linux-gnu-g++)
set(CMAKE_CROSSCOMPILING_EMULATOR "qemu-${WINNOW_EMULATED};-L;/usr/${WINNOW_EMULATED}-linux-gnu")
set(CMAKE_TRY_COMPILE_PLATFORM_VARIABLES WINNOW_EMULATED)
