# Completion of orbitmc for fish. Written by `orbitmc completion fish`.
complete -c orbitmc -f -a '(orbitmc complete -- (commandline -opc)[2..-1] (commandline -ct); or __fish_complete_path (commandline -ct))'
