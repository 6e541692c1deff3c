#!/usr/bin/env bash
# Installs the Debian packages that are missing, and only those; says nothing when there are none.
#   install-deps.sh [--developer] [--siconos] [--ipopt]
#     --developer  also what `make test-all`, `make test-python-full`, `make format` and `make tidy` need
#     --siconos    also what the comparison with Siconos needs
#     --ipopt      also Ipopt, with which tactus invert compares
# TACTUS_SKIP_DEPS=1 skips it all, for those who provide the libraries in another way.
set -euo pipefail

[[ "${TACTUS_SKIP_DEPS:-0}" == 1 ]] && exit 0

# Tools may come from anywhere; libraries are asked of dpkg.
tools=(g++:g++ cmake:cmake ninja:ninja-build)
# Replays are bundled by npm. Where Node.js comes from elsewhere so must npm: Debian's conflicts with it.
command -v node >/dev/null || tools+=(node:nodejs npm:npm)
packages=(libeigen3-dev libhdf5-dev libtinyxml2-dev libqhull-dev libyaml-cpp-dev zlib1g-dev libcli11-dev libfmt-dev nlohmann-json3-dev libgtest-dev libgmock-dev libbenchmark-dev python3-dev python3-venv)
for option in "$@"; do
  case "$option" in
    --developer)
      tools+=(clang++:clang clang-tidy:clang-tidy run-clang-tidy:clang-tidy clang-format:clang-format)
      tools+=(gmsh:gmsh)  # fills surfaces with tetrahedra: run, never linked
      # Any Chromium or Chrome serves the tests of the viewer.
      command -v google-chrome >/dev/null || tools+=(chromium:chromium)
      packages+=(libclang-rt-14-dev openmpi-bin)
      ;;
    --siconos) packages+=(libsiconos-numerics-dev libfclib-dev) ;;
    --ipopt) packages+=(coinor-libipopt-dev) ;;
    *)
      echo "usage: $0 [--developer] [--siconos] [--ipopt]" >&2
      exit 2
      ;;
  esac
done

if ! command -v dpkg-query >/dev/null; then
  echo "install-deps: not a Debian system; make sure that the equivalents of these are installed: ${packages[*]}" >&2
  exit 0
fi

missing=()
for tool in "${tools[@]}"; do
  command -v "${tool%%:*}" >/dev/null || missing+=("${tool#*:}")
done
installed=$(dpkg-query -W -f '${Package} ${db:Status-Status}\n' "${packages[@]}" 2>/dev/null || true)
for package in "${packages[@]}"; do
  grep -qx "$package installed" <<<"$installed" || missing+=("$package")
done
((${#missing[@]} == 0)) && exit 0

if [[ $EUID -eq 0 ]]; then
  as_root=(env)
elif command -v sudo >/dev/null; then
  as_root=(sudo env)
else
  echo "install-deps: these packages are missing, and only root can install them:" >&2
  echo "  apt-get install ${missing[*]}" >&2
  exit 1
fi

echo "install-deps: installing ${missing[*]}"
"${as_root[@]}" DEBIAN_FRONTEND=noninteractive apt-get update -qq
"${as_root[@]}" DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends "${missing[@]}"
