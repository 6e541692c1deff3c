#include "tactus/geometry/fields/grid_cache.h"

#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <system_error>

namespace tactus {

namespace {

constexpr std::uint32_t kVersion = 2;
constexpr std::uint32_t kByteOrder = 0x01020304;

// At the start of a file; the triangles follow, then a checksum of all before it.
struct Header {
  char magic[8] = {'t', 'a', 'c', 't', 'g', 'r', 'i', 'd'};
  std::uint32_t byte_order = kByteOrder;
  std::uint32_t version = kVersion;
  std::uint64_t key[2] = {};
  std::int32_t nodes[3] = {};
  std::int32_t unused = 0;
  double low[3] = {};
  double cell = 0;
};
static_assert(sizeof(Header) == 8 + 8 + 16 + 16 + 4 * 8, "no holes: its bytes are hashed and written");

// Two runs over words with different multipliers, mixed at each step and at the end. Not against malice.
class Hash {
 public:
  void Add(const void* data, std::size_t size) {
    const char* bytes = static_cast<const char*>(data);
    for (std::size_t i = 0; i < size; i += 8) {
      std::uint64_t word = 0;
      std::memcpy(&word, bytes + i, std::min<std::size_t>(8, size - i));
      AddWord(word);
    }
    AddWord(size);
  }
  GridKey Finish() const { return {Mix(a_ + b_), Mix(b_ ^ (a_ >> 1))}; }

 private:
  static std::uint64_t Mix(std::uint64_t x) {
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
    x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
    return x ^ (x >> 31);
  }
  void AddWord(std::uint64_t word) {
    a_ = Mix(a_ ^ word) + 0x9e3779b97f4a7c15u;
    b_ = (b_ ^ (word + (b_ << 6) + (b_ >> 3))) * 0xff51afd7ed558ccdu;
    b_ ^= b_ >> 33;
  }

  std::uint64_t a_ = 0x243f6a8885a308d3u, b_ = 0x13198a2e03707344u;
};

Header MakeHeader(const GridKey& key, const GridTable& table) {
  Header header;
  std::copy(key.begin(), key.end(), header.key);
  std::copy(table.nodes.begin(), table.nodes.end(), header.nodes);
  for (int i = 0; i < 3; ++i) header.low[i] = table.low[i];
  header.cell = table.cell;
  return header;
}

std::uint64_t CalcChecksum(const Header& header, const std::vector<std::int32_t>& triangles) {
  Hash hash;
  hash.Add(&header, sizeof header);
  hash.Add(triangles.data(), triangles.size() * sizeof(std::int32_t));
  return hash.Finish()[0];
}

// What is wrong with a header, "" if nothing is.
std::string FindFault(const Header& header, const GridKey& key, const GridTable& form) {
  const Header expected = MakeHeader(key, form);
  if (std::memcmp(header.magic, expected.magic, sizeof header.magic) != 0) return "it is no table of a grid field";
  if (header.byte_order != kByteOrder) return "it was written by a machine of another byte order";
  if (header.version != kVersion) return "it is of format version " + std::to_string(header.version);
  if (header.key[0] != key[0] || header.key[1] != key[1]) return "it is of another mesh or of other settings";
  if (std::memcmp(header.nodes, expected.nodes, sizeof header.nodes) != 0 ||
      std::memcmp(header.low, expected.low, sizeof header.low) != 0 || header.cell != expected.cell) {
    return "its grid is another one";
  }
  return "";
}

}  // namespace

std::size_t GridTable::size() const {
  return static_cast<std::size_t>(nodes[0]) * static_cast<std::size_t>(nodes[1]) * static_cast<std::size_t>(nodes[2]);
}

GridKey CalcGridKey(const TriangleMesh& mesh, const GridTable& form) {
  Hash hash;
  const Header header = MakeHeader({}, form);
  hash.Add(&header, sizeof header);
  hash.Add(mesh.vertices.data(), mesh.vertices.size() * sizeof(Vector3));
  hash.Add(mesh.triangles.data(), mesh.triangles.size() * sizeof(mesh.triangles[0]));
  return hash.Finish();
}

std::string DefaultCacheFolder() {
  const auto variable = [](const char* name) -> std::string {
    const char* value = std::getenv(name);
    return value != nullptr ? value : "";
  };
  if (const std::string cache = variable("XDG_CACHE_HOME"); !cache.empty()) return cache + "/tactus";
  if (const std::string home = variable("HOME"); !home.empty()) return home + "/.cache/tactus";
  return "";
}

std::string GridFileName(const std::string& folder, const GridKey& key) {
  static const char* const digits = "0123456789abcdef";
  std::string name = folder + "/grid-";
  for (const std::uint64_t word : key) {
    for (int shift = 60; shift >= 0; shift -= 4) name += digits[(word >> shift) & 15u];
  }
  return name + ".bin";
}

GridFileState ReadGridFile(const std::string& file, const GridKey& key, GridTable* table, std::string* why) {
  std::error_code error;
  const auto status = std::filesystem::status(file, error);
  if (status.type() == std::filesystem::file_type::not_found) return GridFileState::Missing;
  const auto useless = [&](const std::string& fault) {
    *why = fault;
    return GridFileState::Useless;
  };
  if (status.type() != std::filesystem::file_type::regular) return useless("it is not a file");
  std::ifstream in(file, std::ios::binary);
  if (!in) return useless("it cannot be opened");
  Header header;
  if (!in.read(reinterpret_cast<char*>(&header), sizeof header)) return useless("it is cut off");
  if (const std::string fault = FindFault(header, key, *table); !fault.empty()) return useless(fault);
  const std::size_t bytes = table->size() * sizeof(std::int32_t);
  const std::uintmax_t size = std::filesystem::file_size(file, error);
  if (error || size != sizeof header + bytes + sizeof(std::uint64_t)) return useless("its size is wrong");
  std::vector<std::int32_t> triangles(table->size());
  std::uint64_t checksum = 0;
  if (!in.read(reinterpret_cast<char*>(triangles.data()), static_cast<std::streamsize>(bytes)) ||
      !in.read(reinterpret_cast<char*>(&checksum), sizeof checksum)) {
    return useless("it is cut off");
  }
  if (checksum != CalcChecksum(header, triangles)) return useless("its checksum is wrong");
  const bool there = std::all_of(triangles.begin(), triangles.end(),
                                 [&](std::int32_t t) { return t >= 0 && t < table->triangle_count; });
  if (!there) return useless("it names a triangle that is not there");
  table->triangles = std::move(triangles);
  return GridFileState::Read;
}

std::string WriteGridFile(const std::string& file, const GridKey& key, const GridTable& table) {
  namespace fs = std::filesystem;
  static std::atomic<unsigned> counter{0};
  std::error_code error;
  const fs::path path(file);
  fs::create_directories(path.parent_path(), error);
  if (error) return "the folder cannot be made: " + error.message();
  const std::string temporary = file + "." + std::to_string(getpid()) + "-" + std::to_string(counter++) + ".tmp";
  {
    std::ofstream out(temporary, std::ios::binary | std::ios::trunc);
    const Header header = MakeHeader(key, table);
    const std::uint64_t checksum = CalcChecksum(header, table.triangles);
    out.write(reinterpret_cast<const char*>(&header), sizeof header);
    out.write(reinterpret_cast<const char*>(table.triangles.data()),
              static_cast<std::streamsize>(table.triangles.size() * sizeof(std::int32_t)));
    out.write(reinterpret_cast<const char*>(&checksum), sizeof checksum);
    out.close();
    if (!out) {
      fs::remove(temporary, error);
      return "a file cannot be written there";
    }
  }
  fs::rename(temporary, path, error);
  if (error) {
    const std::string message = error.message();
    fs::remove(temporary, error);
    return "a file cannot be put there: " + message;
  }
  return "";
}

}  // namespace tactus
