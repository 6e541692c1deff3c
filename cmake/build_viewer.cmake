# cmake -DNODE= -DNPM= -DSOURCE_DIR= -DWORK_DIR= -DOUTPUT= -DREQUIRED=0|1 [-DONLY_INSTALL=ON] -P build_viewer.cmake
# Installs what package-lock.json says into WORK_DIR and bundles the viewer into OUTPUT; with ONLY_INSTALL it also
# installs what tests need, and OUTPUT only marks that it did. What fails is said; unless REQUIRED the build goes on.
function(give_up what)
  set(text "${what}\nReplays (tactus run --html) are left out; build again once npm reaches its registry.")
  if(REQUIRED)
    message(FATAL_ERROR "${text}")
  endif()
  message(WARNING "${text}")
endfunction()

file(REMOVE "${OUTPUT}")
file(MAKE_DIRECTORY "${WORK_DIR}")
file(COPY "${SOURCE_DIR}/package.json" "${SOURCE_DIR}/package-lock.json" "${SOURCE_DIR}/.npmrc" "${SOURCE_DIR}/build.mjs"
  "${SOURCE_DIR}/src" DESTINATION "${WORK_DIR}")
file(SHA256 "${SOURCE_DIR}/package-lock.json" lock)
set(stamp "${WORK_DIR}/lock-${lock}")
if(NOT EXISTS "${stamp}")
  set(omit --omit=dev)
  if(ONLY_INSTALL)
    set(omit --include=dev)
  endif()
  # No scripts of packages run: none is needed.
  execute_process(COMMAND "${NPM}" ci ${omit} --ignore-scripts --no-audit --no-fund --fetch-retries=1 --loglevel=error
    WORKING_DIRECTORY "${WORK_DIR}" RESULT_VARIABLE code OUTPUT_QUIET ERROR_VARIABLE errors)
  if(NOT code EQUAL 0)
    string(SUBSTRING "${errors}" 0 300 errors)
    give_up("npm ci failed in ${WORK_DIR}: ${errors} ...")
    return()
  endif()
  file(TOUCH "${stamp}")
endif()
if(ONLY_INSTALL)
  file(TOUCH "${OUTPUT}")
  return()
endif()
execute_process(COMMAND "${NODE}" build.mjs "${OUTPUT}" WORKING_DIRECTORY "${WORK_DIR}" RESULT_VARIABLE code
  ERROR_VARIABLE errors)
if(NOT code EQUAL 0)
  give_up("the viewer could not be bundled:\n${errors}")
endif()
