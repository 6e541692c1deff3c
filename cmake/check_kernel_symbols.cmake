# cmake -DNM=<nm> -DOBJECTS=<a;b> -P: fails if an object of a v3 kernel defines weak (shareable) symbols outside
# namespace v3.
foreach(object IN LISTS OBJECTS)
  execute_process(COMMAND "${NM}" --defined-only "${object}" OUTPUT_VARIABLE symbols COMMAND_ERROR_IS_FATAL ANY)
  string(REGEX MATCHALL "[0-9a-f]+ [WwVvu] [^\n]+" weak "${symbols}")
  list(FILTER weak EXCLUDE REGEX "2v3|DW\\.ref\\.")
  if(weak)
    list(JOIN weak "\n  " weak)
    message(SEND_ERROR "${object} defines symbols that code for older processors might be linked to:\n  ${weak}\n"
      "Move what they come from out of the kernel, or into its namespace.")
  endif()
endforeach()
