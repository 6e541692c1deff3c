// Meshes of tetrahedra out of Gmsh and VTK files. Whatever the bytes are, the answer is a mesh with finite nodes and
// valid indices or an InputError with the file and the line; memory stays within a small multiple of the file's size.
// That its elements make a body is checked where one is made of them (CheckTetMesh).
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

#include "tactus/deformable/mesh/tet_mesh.h"
#include "tactus/io/file_roots.h"

namespace tactus {

/// Gmsh's .msh, versions 2.2 and 4.1, ASCII. Points, lines and surfaces are left out, as are nodes that no tetrahedron
/// uses; the others keep their order. Volume elements other than linear tetrahedra are an error.
TetMesh ParseMsh(std::string_view text, const std::string& file);

/// Legacy VTK (.vtk), ASCII, an unstructured grid; versions up to 4 and 5.1. Otherwise as ParseMsh.
TetMesh ParseVtk(std::string_view text, const std::string& file);

/// By the file's ending: .msh or .vtk.
TetMesh ReadTetFile(const std::filesystem::path& file, const FileRoots& roots);

}  // namespace tactus
