# Toolchain file of the presets for 64-bit ARM and for s390x, a big-endian machine; presets set the processor.
# It uses Debian's cross compilers (g++-aarch64-linux-gnu, g++-s390x-linux-gnu), and emulators (qemu-user,
# qemu-user-static) for programs that the build and the tests run. With WINNOW_SYSROOT, headers and libraries
# are those that tools/setup.sh --sysroot has unpacked there.
set(CMAKE_SYSTEM_NAME Linux)
set(CMAKE_SYSTEM_PROCESSOR ${WINNOW_EMULATED})
set(CMAKE_C_COMPILER ${WINNOW_EMULATED}-linux-gnu-gcc)
set(CMAKE_CXX_COMPILER ${WINNOW_EMULATED}-linux-gnu-g++)
set(CMAKE_CROSSCOMPILING_EMULATOR "qemu-${WINNOW_EMULATED};-L;/usr/${WINNOW_EMULATED}-linux-gnu")
set(CMAKE_TRY_COMPILE_PLATFORM_VARIABLES WINNOW_EMULATED WINNOW_SYSROOT)
if(WINNOW_SYSROOT)
  set(CMAKE_SYSROOT ${WINNOW_SYSROOT})
  set(CMAKE_LIBRARY_ARCHITECTURE ${WINNOW_EMULATED}-linux-gnu)
  set(CMAKE_FIND_ROOT_PATH_MODE_PROGRAM NEVER)
  foreach(kind INCLUDE LIBRARY PACKAGE)
    set(CMAKE_FIND_ROOT_PATH_MODE_${kind} ONLY)
  endforeach()
  set(ENV{PKG_CONFIG_SYSROOT_DIR} ${WINNOW_SYSROOT})
  set(ENV{PKG_CONFIG_LIBDIR} ${WINNOW_SYSROOT}/usr/lib/${WINNOW_EMULATED}-linux-gnu/pkgconfig)
  # The static emulator is used so that libraries which a test preloads are not loaded into the emulator
  # itself.
  set(CMAKE_CROSSCOMPILING_EMULATOR "qemu-${WINNOW_EMULATED}-static;-L;${WINNOW_SYSROOT}")
endif()
