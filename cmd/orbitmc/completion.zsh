#compdef orbitmc
# Completion of orbitmc for zsh. Written by `orbitmc completion zsh`.
_orbitmc() {
  local -a found
  found=("${(@f)$(orbitmc complete -- "${(@)words[2,CURRENT]}")}") || _files
  found=("${(@)found/$'\t'/:}")
  _describe word found
}
if [[ $funcstack[1] == _orbitmc ]]; then _orbitmc "$@"; else compdef _orbitmc orbitmc; fi
