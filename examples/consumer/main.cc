// The smallest program that uses an installed tactus.

#include <cstdio>
#include <cstring>

#include <tactus/version.h>

int main() {
  std::printf("tactus %s\n", tactus::LibraryVersion());
  return std::strcmp(tactus::LibraryVersion(), TACTUS_VERSION_STRING) == 0 ? 0 : 1;
}
