#include "tactus/io/mesh/gmsh_program.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string_view>
#include <system_error>
#include <vector>

#include <fmt/format.h>
#include <Eigen/Geometry>

#include "tactus/core/child_process.h"
#include "tactus/core/error.h"
#include "tactus/core/work_folder.h"
#include "tactus/geometry/closed_mesh.h"
#include "tactus/io/mesh/tet_file.h"
#include "tactus/io/parse_number.h"

namespace tactus {

namespace {

constexpr std::size_t kMemory = std::size_t{16} << 30;
constexpr double kMostTriangles = 4e6;

// Two sides of a sheet are closed, too; what else is wrong with a surface MakeClosedMesh says.
void RequireVolume(const TriangleMesh& mesh, const std::string& where) {
  const int count = static_cast<int>(mesh.vertices.size());
  double volume = 0, size = 0;
  for (const std::array<int, 3>& t : mesh.triangles) {
    if (std::any_of(t.begin(), t.end(), [&](int i) { return i < 0 || i >= count; })) return;
    const auto at = [&](int i) -> Vector3 { return mesh.vertices[static_cast<std::size_t>(i)] - mesh.vertices[0]; };
    volume += at(t[0]).cross(at(t[1])).dot(at(t[2])) / 6;
    for (const int i : t) size = std::max(size, at(i).norm());
  }
  Require(mesh.triangles.empty() || std::abs(volume) > 1e-12 * size * size * size, where,
          "the surface encloses no volume", "a closed surface around a solid");
}

// Not before it is known that the finer triangles fit into memory.
TriangleMesh SplitLongEdges(const TriangleMesh& mesh, double edge, const std::string& where) {
  double count = 0;
  for (const std::array<int, 3>& triangle : mesh.triangles) {
    const auto at = [&](std::size_t k) { return mesh.vertices[static_cast<std::size_t>(triangle[k])]; };
    const Vector3 a = at(1) - at(0), b = at(2) - at(0);
    const double longest = std::max({a.norm(), b.norm(), (b - a).norm()});
    count += (1 + longest / edge) * (1 + a.cross(b).norm() / (longest * edge));
  }
  Require(count <= kMostTriangles, where, fmt::format("edges of {:g} m make about {:.2g} triangles", edge, count),
          fmt::format("at most {:g}", kMostTriangles));
  return RefineMesh(mesh, edge);
}

// STL in digits that give the same doubles back: gmsh makes vertices at the same place one.
void WriteSurface(const TriangleMesh& mesh, const std::filesystem::path& file) {
  std::ofstream out(file);
  out << "solid surface\n";
  for (const std::array<int, 3>& triangle : mesh.triangles) {
    out << "facet normal 0 0 0\nouter loop\n";
    for (const int i : triangle) {
      const Vector3& x = mesh.vertices[static_cast<std::size_t>(i)];
      out << fmt::format("vertex {:.17g} {:.17g} {:.17g}\n", x[0], x[1], x[2]);
    }
    out << "endloop\nendfacet\n";
  }
  out << "endsolid surface\n";
  Require(static_cast<bool>(out.flush()), "gmsh", "the surface cannot be written", "room in the temporary folder");
}

void WriteScript(double edge, const std::filesystem::path& surface, const std::filesystem::path& file) {
  std::ofstream out(file);
  out << "Merge \"" << surface.filename().string() << "\";\n"
      << "Surface Loop(1) = Surface{:};\nVolume(1) = {1};\n"
      << fmt::format("Mesh.MeshSizeMax = {:.17g};\nMesh.MeshSizeExtendFromBoundary = 1;\n", edge)
      << "Mesh.Optimize = 1;\n";
  Require(static_cast<bool>(out.flush()), "gmsh", "the script cannot be written", "room in the temporary folder");
}

// From the first error on, or the end of what it said.
std::string Complaint(const std::vector<std::uint8_t>& output) {
  const std::string text(output.begin(), output.end());
  const std::size_t error = text.find("Error");
  const std::size_t from = error != std::string::npos ? error : text.size() - std::min<std::size_t>(text.size(), 200);
  return Quote(std::string_view(text).substr(from), 200);
}

}  // namespace

void Validate(const GmshSettings& settings) {
  Require(std::isfinite(settings.edge) && settings.edge > 0, "gmsh", fmt::format("edge is {}", settings.edge),
          "a finite length > 0 [m]");
  Require(std::isfinite(settings.seconds) && settings.seconds > 0, "gmsh",
          fmt::format("seconds is {}", settings.seconds), "a finite time > 0 [s]");
  Require(!settings.program.empty(), "gmsh", "program is empty", "its name");
}

bool HasGmsh(const GmshSettings& settings) {
  return RunProgram({30, kMemory, std::size_t{1} << 20}, settings.program, {"-version"}).ok;
}

TetMesh FillWithTets(const TriangleMesh& surface, const GmshSettings& settings, const std::string& where) {
  Validate(settings);
  RequireVolume(surface, where);
  const TriangleMesh fine = SplitLongEdges(MakeClosedMesh(surface, where), settings.edge, where);
  const WorkFolder folder("gmsh");
  WriteSurface(fine, folder.file("surface.stl"));
  WriteScript(settings.edge, folder.file("surface.stl"), folder.file("fill.geo"));
  const std::filesystem::path answer = folder.file("solid.msh");
  const ChildOutcome outcome =
      RunProgram({settings.seconds, kMemory, std::size_t{1} << 26}, settings.program,
                 {folder.file("fill.geo").string(), "-3", "-format", "msh41", "-nt", "1", "-o", answer.string()});
  Require(outcome.exit_code != kProgramNotFound, where,
          fmt::format("the program '{}' is not there", Quote(settings.program)),
          "gmsh installed (the Debian package gmsh), or a mesh of tetrahedra as a file");
  Require(outcome.ok, where, fmt::format("gmsh {}: {}", outcome.failure, Complaint(outcome.output)),
          "a surface it can fill within its limits");
  std::ifstream in(answer, std::ios::binary);
  const std::string text{std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
  Require(!text.empty(), where, fmt::format("gmsh wrote no mesh: {}", Complaint(outcome.output)),
          "a surface it can fill");
  TetMesh mesh = ParseMsh(text, where + " (by gmsh)");
  FixOrientation(&mesh);
  CheckTetMesh(mesh, where + " (by gmsh)");
  return mesh;
}

}  // namespace tactus
