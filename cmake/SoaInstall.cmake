# What `cmake --install` puts where: libraries, headers, program, manual,
# completion, soa.pc, soa_io.pc and find_package(soa).
include(CMakePackageConfigHelpers)

set(soa_targets soa)
if(TARGET soa_io)
  list(APPEND soa_targets soa_io)
endif()
set(soa_config_dir ${CMAKE_INSTALL_LIBDIR}/cmake/soa)

# One export file per library: a consumer of soa alone needs neither expat nor yaml.
foreach(library ${soa_targets})
  install(TARGETS ${library} EXPORT ${library}-targets
    ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR}
    LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR}
    RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
  install(EXPORT ${library}-targets NAMESPACE soa:: DESTINATION ${soa_config_dir})
endforeach()

file(GLOB soa_headers CONFIGURE_DEPENDS include/soa/*.h)
if(NOT TARGET soa_io)
  list(FILTER soa_headers EXCLUDE REGEX "/io\\.h$")
endif()
install(FILES ${soa_headers} DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/soa)

if(BUILD_SHARED_LIBS)
  set(SOA_STATIC OFF)
else()
  set(SOA_STATIC ON)
endif()
configure_package_config_file(cmake/soa-config.cmake.in ${PROJECT_BINARY_DIR}/soa-config.cmake
  INSTALL_DESTINATION ${soa_config_dir})
write_basic_package_version_file(${PROJECT_BINARY_DIR}/soa-config-version.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/soa-config.cmake ${PROJECT_BINARY_DIR}/soa-config-version.cmake
  DESTINATION ${soa_config_dir})

# A folder of the install seen from the .pc file, so that the prefix may move.
function(soa_pc_dir name dir)
  if(IS_ABSOLUTE "${dir}")
    set(${name} "${dir}" PARENT_SCOPE)
  else()
    set(${name} "\${prefix}/${dir}" PARENT_SCOPE)
  endif()
endfunction()
soa_pc_dir(PC_LIBDIR "${CMAKE_INSTALL_LIBDIR}")
soa_pc_dir(PC_INCLUDEDIR "${CMAKE_INSTALL_INCLUDEDIR}")
if(IS_ABSOLUTE "${CMAKE_INSTALL_LIBDIR}")
  set(PC_PREFIX "${CMAKE_INSTALL_PREFIX}")
else()
  file(RELATIVE_PATH up "/${CMAKE_INSTALL_LIBDIR}/pkgconfig" /)
  string(REGEX REPLACE "/$" "" up "${up}")
  set(PC_PREFIX "\${pcfiledir}/${up}")
endif()
# Who links a static library needs what it needs, also without pkg-config --static.
if(SOA_STATIC)
  set(PC_LIBS "-lm ${CMAKE_THREAD_LIBS_INIT}")
  set(PC_REQUIRES "expat yaml-0.1")
else()
  set(PC_LIBS_PRIVATE "-lm ${CMAKE_THREAD_LIBS_INIT}")
  set(PC_REQUIRES_PRIVATE "expat yaml-0.1")
endif()
foreach(library ${soa_targets})
  configure_file(cmake/${library}.pc.in ${PROJECT_BINARY_DIR}/${library}.pc @ONLY)
  install(FILES ${PROJECT_BINARY_DIR}/${library}.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
endforeach()

if(TARGET soa_tool)
  if(BUILD_SHARED_LIBS)
    file(RELATIVE_PATH up "${CMAKE_INSTALL_FULL_BINDIR}" "${CMAKE_INSTALL_FULL_LIBDIR}")
    set_target_properties(soa_tool PROPERTIES INSTALL_RPATH "$ORIGIN/${up}")
    set_target_properties(soa_io PROPERTIES INSTALL_RPATH "$ORIGIN")
  endif()
  install(TARGETS soa_tool RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
  install(FILES ${PROJECT_BINARY_DIR}/web/soa.html DESTINATION ${CMAKE_INSTALL_DATADIR}/soa OPTIONAL) # make web
  if(EXISTS ${PROJECT_SOURCE_DIR}/docs/man/soa.1)
    install(FILES docs/scenario.schema.json DESTINATION ${CMAKE_INSTALL_DATADIR}/soa)
    install(FILES docs/man/soa.1 DESTINATION ${CMAKE_INSTALL_MANDIR}/man1)
  endif()
  # The program writes its own completion; one for another machine cannot be run here.
  if(EXISTS ${PROJECT_SOURCE_DIR}/tools/soa/completion.c AND NOT CMAKE_CROSSCOMPILING)
    add_custom_command(OUTPUT soa.bash COMMAND soa_tool completion bash > soa.bash DEPENDS soa_tool VERBATIM)
    add_custom_target(soa_completion ALL DEPENDS soa.bash)
    install(FILES ${PROJECT_BINARY_DIR}/soa.bash DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions
      RENAME soa)
  endif()
endif()
