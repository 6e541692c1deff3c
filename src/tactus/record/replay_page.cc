// A replay's frames as the text of a page: what they are as JSON, the numbers packed, and the viewer's program.
#include <algorithm>
#include <cmath>
#include <limits>
#include <map>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "tactus/core/error.h"
#include "tactus/record/replay_deformed.h"
#include "tactus/record/replay_frames.h"
#include "tactus/record/replay_pack.h"

namespace tactus {

namespace {

using Json = nlohmann::json;

constexpr double kRotationUnit = 1.0 / 32767;  // of quaternions, normals and tangents
std::int16_t RoundPart(double x) {
  return static_cast<std::int16_t>(std::lround(std::clamp(x, -1.0, 1.0) / kRotationUnit));
}

// Keeps 11 bits of the mantissa: the others are noise that does not compress.
float RoundForce(double x) {
  int exponent = 0;
  const double mantissa = std::frexp(x, &exponent);
  return static_cast<float>(std::ldexp(std::round(mantissa * 2048) / 2048, exponent));
}

class Page {
 public:
  Page(const ReplayFrames& frames, const ReplaySettings& view) : frames_(frames), view_(view), list_(frames.List()) {
    AddDescription();
    AddShapes();
    AddPoses();
    AddDeformables();
    AddContacts();
    AddCurves();
  }

  Json json;
  ReplayPack pack;

 private:
  void AddDescription() {
    const RecordHeader& header = frames_.header;
    json["format"] = "tactus-replay";
    json["version"] = 1;
    json["program"] = header.version;
    json["solver"] = header.solver;
    for (const auto& [name, value] : header.settings) json["settings"][name] = value;
    json["time_step"] = header.time_step;
    json["steps"] = frames_.steps;
    json["stride"] = frames_.stride;
    json["rate"] = header.time_step > 0 ? 1 / (header.time_step * frames_.stride) : 0.0;
    json["links"] = header.links;
    json["objects"] = header.objects;
    json["modes"] = header.modes;
    json["lacks"] = Json::array();
    if (!header.poses && !header.links.empty()) json["lacks"].push_back("poses of links");
    if (header.shapes.empty() && header.deformables.empty() && header.rods.empty()) json["lacks"].push_back("shapes");
    if (!header.modes) json["lacks"].push_back("friction and modes of contacts");
    std::vector<double> time;
    for (const ReplayFrame* frame : list_) time.push_back(frame->time);
    pack.Add("time", time, 1);
  }

  void AddShapes() {
    json["shapes"] = Json::array();
    for (const RecordShape& shape : frames_.header.shapes) {
      const Quaternion q(shape.X_LS.R);
      Json entry = {{"name", shape.name},
                    {"link", shape.link},
                    {"kind", static_cast<int>(shape.kind)},
                    {"group", shape.group},
                    {"collides", shape.collides},
                    {"type", shape.mesh >= 0 ? "mesh" : ToString(shape.type)},
                    {"size", {shape.size[0], shape.size[1], shape.size[2]}},
                    {"position", {shape.X_LS.p[0], shape.X_LS.p[1], shape.X_LS.p[2]}},
                    {"rotation", {q.w(), q.x(), q.y(), q.z()}}};
      if (shape.mesh >= 0) entry["mesh"] = shape.mesh;
      json["shapes"].push_back(std::move(entry));
    }
    json["meshes"] = frames_.header.meshes.size();
    for (std::size_t m = 0; m < frames_.header.meshes.size(); ++m) {
      const TriangleMesh& mesh = frames_.header.meshes[m];
      std::vector<float> vertices;
      for (const Vector3& v : mesh.vertices) vertices.insert(vertices.end(), v.begin(), v.end());
      pack.Add(fmt::format("mesh_{}_vertices", m), vertices, 3);
      AddTriangles(fmt::format("mesh_{}_triangles", m), mesh.triangles);
    }
  }

  void AddTriangles(const std::string& name, const std::vector<std::array<int, 3>>& triangles) {
    std::vector<std::int32_t> flat;
    flat.reserve(3 * triangles.size());
    for (const auto& t : triangles) flat.insert(flat.end(), t.begin(), t.end());
    pack.Add(name, flat, 3, true);
  }

  void AddPoses() {
    const std::size_t links = frames_.header.poses ? frames_.header.links.size() : 0;
    double largest = 0;
    for (const ReplayFrame* frame : list_) {
      for (std::size_t l = 0; l < links; ++l) {
        for (std::size_t k = 0; k < 3; ++k) {
          largest = std::max(largest, std::abs(static_cast<double>(frame->poses[kRecordPoseSize * l + k])));
        }
      }
    }
    const double unit = ChooseUnit(1e-6, largest);
    std::vector<std::int32_t> position;
    std::vector<std::int16_t> rotation;
    std::vector<double> sign(links, 1);  // q and -q are the same rotation: the one next to that of the frame before
    const ReplayFrame* before = nullptr;
    for (const ReplayFrame* frame : list_) {
      for (std::size_t l = 0; l < links; ++l) {
        const float* row = &frame->poses[kRecordPoseSize * l];
        for (std::size_t k = 0; k < 3; ++k) position.push_back(Round(static_cast<double>(row[k]), unit));
        float dot = 1;
        if (before != nullptr) {
          const float* old = &before->poses[kRecordPoseSize * l];
          dot = row[3] * old[3] + row[4] * old[4] + row[5] * old[5] + row[6] * old[6];
        }
        if (dot < 0) sign[l] = -sign[l];
        for (std::size_t k = 3; k < 7; ++k) rotation.push_back(RoundPart(sign[l] * static_cast<double>(row[k])));
      }
      before = frame;
    }
    json["units"]["position"] = unit;
    json["units"]["rotation"] = kRotationUnit;
    pack.Add("position", position, static_cast<int>(3 * links), true);
    pack.Add("rotation", rotation, static_cast<int>(4 * links), true);
  }

  void AddDeformables() {
    json["deformables"] = Json::array();
    int first = 0;
    for (std::size_t d = 0; d < frames_.header.deformables.size(); ++d) {
      const RecordDeformable& deformable = frames_.header.deformables[d];
      json["deformables"].push_back({{"name", deformable.name}, {"first", first}, {"vertices", deformable.vertices}});
      AddTriangles(fmt::format("deformable_{}_triangles", d), deformable.triangles);
      first += deformable.vertices;
    }
    json["rods"] = Json::array();
    for (const RecordRod& rod : frames_.header.rods) {
      const int points = CalcPointCount(rod);
      json["rods"].push_back({{"name", rod.name},
                              {"first", first},
                              {"points", points},
                              {"segments", rod.segments},
                              {"radius", rod.radius}});
      first += points;
    }
    if (first == 0) return;
    // A picture shows one frame, and the part of the way to the next; numbers of the others would only take time.
    std::size_t from = 0, count = list_.size();
    if (view_.picture) {
      const double time = view_.start.value_or(list_.front()->time) + 1e-9;
      while (from + 1 < list_.size() && list_[from + 1]->time <= time) ++from;
      count = std::min<std::size_t>(2, list_.size() - from);
    }
    const DeformedRange range = PackDeformed(frames_.header, list_, from, count, &pack);
    json["units"]["vertices"] = range.unit;
    json["deformed_from"] = from;
    if (!frames_.header.stress) return;
    json["stress"] = {{"plain", view_.plain}};
    const auto describe = [](const StressRange& r) { return Json{{"high", r.high}, {"most", r.most}}; };
    if (range.solids) json["stress"]["solids"] = describe(*range.solids);
    if (range.rods) json["stress"]["rods"] = describe(*range.rods);
    pack.Add("stress_most", range.most, 1);
  }

  void AddContacts() {
    std::vector<std::int32_t> start = {0}, objects, point, friction;
    std::vector<std::int16_t> normal, tangent;
    std::vector<float> force;
    std::vector<std::uint8_t> mode;
    std::map<std::pair<float, float>, int> frictions;
    double largest = 0;
    bool elliptic = false;
    for (const ReplayFrame* frame : list_) {
      for (const RecordContact& c : frame->contacts) {
        Require(c.point.allFinite() && c.normal.allFinite() && c.impulse.allFinite() && c.tangent.allFinite(), "replay",
                fmt::format("a contact at {} s is not finite", frame->time), "finite numbers");
        largest = std::max(largest, c.point.cwiseAbs().maxCoeff());
        elliptic = elliptic || c.friction[0] != c.friction[1];
      }
    }
    const double unit = ChooseUnit(1e-5, largest);
    const double h = frames_.header.time_step > 0 ? frames_.header.time_step : 1;
    for (const ReplayFrame* frame : list_) {
      for (const RecordContact& c : frame->contacts) {
        objects.insert(objects.end(), {c.object_a, c.object_b});
        for (int k = 0; k < 3; ++k) point.push_back(Round(c.point[k], unit));
        for (int k = 0; k < 3; ++k) normal.push_back(RoundPart(c.normal[k]));
        for (int k = 0; k < 3; ++k) force.push_back(RoundForce(c.impulse[k] / h));
        if (elliptic) {
          for (int k = 0; k < 3; ++k) tangent.push_back(RoundPart(c.tangent[k]));
        }
        const std::pair<float, float> pair(static_cast<float>(c.friction[0]), static_cast<float>(c.friction[1]));
        friction.push_back(frictions.try_emplace(pair, static_cast<int>(frictions.size())).first->second);
        mode.push_back(static_cast<std::uint8_t>(c.mode));
      }
      start.push_back(static_cast<std::int32_t>(mode.size()));
    }
    json["units"]["point"] = unit;
    std::vector<Json> table(frictions.size());
    for (const auto& [pair, number] : frictions) table[static_cast<std::size_t>(number)] = {pair.first, pair.second};
    json["frictions"] = table;
    pack.Add("contact_start", start, 1, true);
    pack.Add("contact_objects", objects, 2, false);
    pack.Add("contact_point", point, 3, false);
    pack.Add("contact_normal", normal, 3, false);
    pack.Add("contact_force", force, 3);
    pack.Add("contact_friction", friction, 1, false);
    pack.Add("contact_mode", mode, 1);
    if (elliptic) pack.Add("contact_tangent", tangent, 3, false);
  }

  void AddCurves() {
    std::vector<float> residual, penetration, solve_time;
    std::vector<std::int32_t> contacts, iterations, unsolved;
    for (const ReplayFrame* frame : list_) {
      residual.push_back(static_cast<float>(frame->curves.residual));
      penetration.push_back(static_cast<float>(frame->curves.penetration));
      solve_time.push_back(static_cast<float>(frame->curves.solve_time));
      contacts.push_back(frame->curves.contacts);
      iterations.push_back(frame->curves.iterations);
      unsolved.push_back(frame->curves.unsolved);
    }
    pack.Add("residual", residual, 1);
    pack.Add("penetration", penetration, 1);
    pack.Add("solve_time", solve_time, 1);
    pack.Add("contacts", contacts, 1, false);
    pack.Add("iterations", iterations, 1, false);
    pack.Add("unsolved", unsolved, 1, false);
  }

  const ReplayFrames& frames_;
  const ReplaySettings& view_;
  std::vector<const ReplayFrame*> list_;
};

// Texts of scenes are strangers: within the page's script data no '<' may stand, else one could end it and begin
// another.
std::string DumpForScript(const Json& json) {
  const std::string text = json.dump(-1, ' ', false, Json::error_handler_t::replace);
  std::string out;
  out.reserve(text.size());
  for (const char c : text) {
    if (c == '<') {
      out += "\\u003c";
    } else {
      out += c;
    }
  }
  return out;
}

std::string EscapeHtml(const std::string& text) {
  std::string out;
  for (const char c : text) {
    switch (c) {
      case '<': out += "&lt;"; break;
      case '>': out += "&gt;"; break;
      case '&': out += "&amp;"; break;
      case '"': out += "&quot;"; break;
      default: out += c;
    }
  }
  return out;
}

// What the line "name: ..." of a scene file says.
std::string FindName(const std::string& scene) {
  for (std::size_t at = 0; at < scene.size();) {
    const std::size_t end = std::min(scene.find('\n', at), scene.size());
    const std::string line = scene.substr(at, end - at);
    if (line.starts_with("name:")) {
      std::string name = line.substr(5);
      name.erase(0, name.find_first_not_of(" \t\"'"));
      const std::size_t last = name.find_last_not_of(" \t\r\"'");
      name.resize(last == std::string::npos ? 0 : last + 1);
      return name;
    }
    at = end + 1;
  }
  return "";
}

}  // namespace

std::string MakeReplayPage(const ReplayFrames& frames, const ReplaySettings& view) {
  Page page(frames, view);
  std::string title = view.title.empty() ? FindName(frames.header.scene) : view.title;
  if (title.empty()) title = "tactus";
  page.json["title"] = title;
  page.json["compressed"] = !view.picture;
  for (const ReplayPack::Entry& entry : page.pack.entries()) {
    page.json["arrays"][entry.name] = {{"type", entry.type},
                                       {"width", entry.width},
                                       {"count", entry.count},
                                       {"differences", entry.differences},
                                       {"offset", entry.offset}};
    if (entry.smooth) page.json["arrays"][entry.name]["smooth"] = true;
  }
  page.json["view"] = {{"azimuth", view.camera.azimuth},   {"elevation", view.camera.elevation},
                       {"distance", view.camera.distance}, {"contacts", view.contacts},
                       {"picture", view.picture},          {"controls", view.controls}};
  if (!view.camera.look_at.empty()) page.json["view"]["look_at"] = view.camera.look_at;
  if (view.start) page.json["view"]["time"] = *view.start;
  // The policy keeps the page from loading anything, whatever is in it.
  return fmt::format(
      R"(<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; script-src 'unsafe-inline'; style-src 'unsafe-inline'; img-src data: blob:">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>{}</title>
</head>
<body>
<script type="application/json" id="tactus-description">{}</script>
<script type="text/plain" id="tactus-numbers">{}</script>
<script>
{}
</script>
</body>
</html>
)",
      EscapeHtml(title), DumpForScript(page.json), page.pack.MakeText(!view.picture), frames.program);
}

}  // namespace tactus
