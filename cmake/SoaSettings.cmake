# Compiler settings of every target, and the two kinds of target.

if(NOT CMAKE_BUILD_TYPE AND NOT CMAKE_CONFIGURATION_TYPES)
  set(CMAKE_BUILD_TYPE Release CACHE STRING "Build type" FORCE)
endif()

# Same bits everywhere: FMA only where the source writes it.
function(soa_settings target)
  target_compile_features(${target} PRIVATE c_std_11)
  set_target_properties(${target} PROPERTIES C_EXTENSIONS OFF C_VISIBILITY_PRESET hidden
    POSITION_INDEPENDENT_CODE ON)
  target_compile_definitions(${target} PRIVATE _POSIX_C_SOURCE=200809L)
  target_compile_options(${target} PRIVATE -ffp-contract=off -fno-math-errno
    -Wall -Wextra -Wshadow -Wconversion -Wstrict-prototypes -Wmissing-prototypes -Wno-missing-field-initializers -Wno-psabi -Werror)
  if(SOA_SANITIZE)
    target_compile_options(${target} PRIVATE -fsanitize=${SOA_SANITIZE} -fno-sanitize-recover=all
      -fno-omit-frame-pointer)
    target_link_options(${target} PRIVATE -fsanitize=${SOA_SANITIZE})
  endif()
  if(SOA_COVERAGE)
    target_compile_options(${target} PRIVATE -fprofile-instr-generate -fcoverage-mapping)
    target_link_options(${target} PRIVATE -fprofile-instr-generate)
  endif()
  # valgrind does not know all moves from the upper eight vector registers.
  if("${CMAKE_CROSSCOMPILING_EMULATOR}" MATCHES "valgrind" AND CMAKE_C_COMPILER_ID STREQUAL "GNU"
      AND CMAKE_SYSTEM_PROCESSOR MATCHES "x86_64|amd64|AMD64")
    foreach(upper RANGE 8 15)
      target_compile_options(${target} PRIVATE -ffixed-xmm${upper})
    endforeach()
  endif()
endfunction()

# Small structs are cleared by plain stores: gcc's `rep stos` takes as long as a short kernel.
include(CheckCCompilerFlag)
set(soa_clear -mmemset-strategy=vector_loop:512:noalign,libcall:-1:noalign)
check_c_compiler_flag(${soa_clear} SOA_HAS_CLEAR)

# A library: static by default, shared with BUILD_SHARED_LIBS.
function(soa_library target)
  add_library(${target} ${ARGN})
  add_library(soa::${target} ALIAS ${target})
  soa_settings(${target})
  target_compile_options(${target} PRIVATE $<$<BOOL:${SOA_HAS_CLEAR}>:${soa_clear}>)
  target_include_directories(${target}
    PUBLIC $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/include> $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>
    PRIVATE ${PROJECT_SOURCE_DIR}/src)
  set_target_properties(${target} PROPERTIES VERSION ${PROJECT_VERSION} SOVERSION ${PROJECT_VERSION_MAJOR})
  if(BUILD_SHARED_LIBS)
    add_library(${target}_internals STATIC EXCLUDE_FROM_ALL $<TARGET_OBJECTS:${target}>)
    set_target_properties(${target}_internals PROPERTIES LINKER_LANGUAGE C)
  endif()
endfunction()

# Second derivatives of flexible links: units of kernels on numbers for which C has no operators (src/spatial/twice.h). The C
# compiler makes them where it knows C++, too; they need no library of C++, and programs are linked as C.
include(CheckCSourceCompiles)
function(soa_twice target)
  set(options -x c++ -std=gnu++17 -fno-exceptions -fno-rtti)
  set(CMAKE_TRY_COMPILE_TARGET_TYPE STATIC_LIBRARY)
  string(JOIN " " CMAKE_REQUIRED_FLAGS ${options})
  check_c_source_compiles("struct real { double x; }; real operator+(real a, real b) { return real{ a.x + b.x }; }" SOA_TWICE)
  if(NOT SOA_TWICE)
    return()
  endif()
  file(GLOB units CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/src/*/*_twice.cc)
  set_source_files_properties(${units} PROPERTIES LANGUAGE C)
  add_library(${target}_twice OBJECT ${units})
  set_target_properties(${target}_twice PROPERTIES C_VISIBILITY_PRESET hidden POSITION_INDEPENDENT_CODE ON)
  target_compile_options(${target}_twice PRIVATE ${options} -ffp-contract=off -fno-math-errno -Wall -Wextra -Wno-unused-function
    -Wno-missing-field-initializers -Wno-psabi
    $<$<C_COMPILER_ID:Clang>:-Wno-c99-designator> -Werror)
  if(SOA_SANITIZE)
    target_compile_options(${target}_twice PRIVATE -fsanitize=${SOA_SANITIZE} -fno-sanitize-recover=all -fno-omit-frame-pointer)
  endif()
  target_include_directories(${target}_twice PRIVATE ${PROJECT_SOURCE_DIR}/src ${PROJECT_SOURCE_DIR}/include)
  target_compile_definitions(${target} PRIVATE SOA_TWICE)
  target_sources(${target} PRIVATE $<TARGET_OBJECTS:${target}_twice>)
  if(TARGET ${target}_internals)
    target_sources(${target}_internals PRIVATE $<TARGET_OBJECTS:${target}_twice>)
  endif()
endfunction()

# A shared library shows its API alone. What also needs functions of src/ (soa_io,
# tests) takes copies of them; that is safe because no library has global state.
function(soa_use_internals target)
  if(BUILD_SHARED_LIBS)
    foreach(library ${ARGN})
      target_link_libraries(${target} PRIVATE $<BUILD_INTERFACE:${library}_internals>)
      target_link_options(${target} PRIVATE LINKER:--exclude-libs,lib${library}_internals.a)
    endforeach()
  endif()
endfunction()

# Units of kernels say in their name what they are built for: NAME_x4_fma.c.
# Vectors are made of lanes of states; packing the scalars of one state into
# vectors (SLP) costs more shuffles than it saves operations.
function(soa_kernel_flags)
  include(CheckCCompilerFlag)
  set(scalars -fno-tree-slp-vectorize)
  set(plain -fno-tree-vectorize) # loops over lanes are vectors already
  check_c_compiler_flag(-fno-tree-loop-distribute-patterns SOA_LOOPS_STAY) # rows are too short for calls of memcpy
  if(SOA_LOOPS_STAY)
    list(APPEND plain -fno-tree-loop-distribute-patterns)
  endif()
  file(GLOB units CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/src/*/*_x1.c)
  set_source_files_properties(${units} PROPERTIES COMPILE_OPTIONS "${scalars}")
  check_c_compiler_flag(-fcx-limited-range SOA_PLAIN_COMPLEX) # products of slopes need no care for infinities
  if(SOA_PLAIN_COMPLEX)
    file(GLOB units CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/src/*/*_dual.c)
    set_source_files_properties(${units} PROPERTIES COMPILE_OPTIONS "-fcx-limited-range")
  endif()
  file(GLOB units CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/src/*/*_x2_simd128.c)
  set_source_files_properties(${units} PROPERTIES COMPILE_OPTIONS "${scalars}")
  if(NOT CMAKE_SYSTEM_PROCESSOR MATCHES "x86_64|AMD64")
    return()
  endif()
  file(GLOB units CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/src/*/*_x1_fma.c ${PROJECT_SOURCE_DIR}/src/*/*_x4_fma.c)
  set_source_files_properties(${units} PROPERTIES COMPILE_OPTIONS "${scalars};-mavx2;-mfma")
  file(GLOB units CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/src/*/*_x1_avx512.c)
  set_source_files_properties(${units} PROPERTIES COMPILE_OPTIONS
    "${scalars};-mavx2;-mfma;-mavx512f;-mavx512dq;-mavx512vl;-mavx512bw")
  file(GLOB units CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/src/*/*_x8_fma.c)
  set_source_files_properties(${units} PROPERTIES COMPILE_OPTIONS
    "${scalars};-mavx2;-mfma;-mavx512f;-mavx512dq;-mavx512vl;-mavx512bw;-mprefer-vector-width=512;-mtune=icelake-server;${plain}")
endfunction()
