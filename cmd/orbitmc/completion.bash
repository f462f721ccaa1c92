# Completion of orbitmc for bash. Written by `orbitmc completion bash`.
_orbitmc() {
  local IFS=$'\n'
  COMPREPLY=($(compgen -W "$(orbitmc complete -- "${COMP_WORDS[@]:1:COMP_CWORD}" | cut -f1)" -- "${COMP_WORDS[COMP_CWORD]}"))
}
complete -o default -F _orbitmc orbitmc
