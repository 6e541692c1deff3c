// Recordings as CSV and NPZ files.
#include <fmt/format.h>

#include "tactus/core/error.h"
#include "tactus/core/output_file.h"
#include "tactus/record/npz_writer.h"
#include "tactus/record/recording.h"

namespace tactus {

namespace {

// A field of a line: in quotes where it has to be.
std::string Field(const std::string& text) {
  if (text.find_first_of(",\"\r\n") == std::string::npos) return text;
  std::string out = "\"";
  for (const char c : text) out += c == '"' ? std::string("\"\"") : std::string(1, c);
  return out + "\"";
}

template <typename... Args>
void Print(fmt::memory_buffer* out, fmt::format_string<Args...> format, Args&&... args) {
  fmt::format_to(std::back_inserter(*out), format, std::forward<Args>(args)...);
}

void PrintNames(const char* prefix, const std::vector<std::string>& names, int count, fmt::memory_buffer* out) {
  for (int k = 0; k < count; ++k) {
    const std::string name = names.empty() ? std::to_string(k) : names[static_cast<std::size_t>(k)];
    Print(out, ",{}", Field(fmt::format("{}:{}", prefix, name)));
  }
}

std::string ObjectName(const RecordHeader& header, int object) {
  if (object < 0) return "";
  return header.objects.empty() ? std::to_string(object) : header.objects[static_cast<std::size_t>(object)];
}

// Where everything deformable is, step by step: places of surface nodes, poses of rods' segments, stresses.
void WriteDeformables(const Recording& recording, NpzWriter* npz) {
  const RecordHeader& header = recording.header;
  if (header.deformables.empty() && header.rods.empty()) return;
  const int steps = recording.steps();
  const auto vertices = header.num_vertices(), segments = header.num_segments();
  DeformedReader reader(recording);
  std::vector<std::string> names, rod_names;
  std::vector<std::int64_t> node, triangles, vertex_start = {0}, triangle_start = {0}, segment_start = {0};
  for (const RecordDeformable& d : header.deformables) {
    names.push_back(d.name);
    for (int v = 0; v < d.vertices; ++v) node.push_back(d.nodes.empty() ? v : d.nodes[static_cast<std::size_t>(v)]);
    for (const auto& t : d.triangles) triangles.insert(triangles.end(), t.begin(), t.end());
    vertex_start.push_back(vertex_start.back() + d.vertices);
    triangle_start.push_back(static_cast<std::int64_t>(triangles.size()) / 3);
  }
  for (const RecordRod& rod : header.rods) {
    rod_names.push_back(rod.name);
    segment_start.push_back(segment_start.back() + rod.segments);
  }
  const auto part = [&reader](std::span<const float> DeformedStep::*member, std::size_t first, std::size_t count) {
    return [&reader, member, first, count](int step) { return (reader.Read(step).*member).subspan(first, count); };
  };
  const auto v = static_cast<std::size_t>(vertices), s = static_cast<std::size_t>(segments);
  if (vertices > 0) {
    npz->Texts("deformables_name", names);
    npz->Integers("deformables_vertex_start", vertex_start);
    npz->Integers("deformables_node", node);
    npz->Integers("deformables_triangle_start", triangle_start);
    npz->Integers("deformables_triangles", triangles, {triangle_start.back(), 3});
    npz->Singles("deformables_position", {steps, vertices, 3}, steps, part(&DeformedStep::vertices, 0, 3 * v));
    if (header.stress) npz->Singles("deformables_stress", {steps, vertices}, steps, part(&DeformedStep::stress, 0, v));
  }
  if (segments > 0) {
    npz->Texts("rods_name", rod_names);
    npz->Integers("rods_segment_start", segment_start);
    npz->Singles("rods_pose", {steps, segments, kRecordPoseSize}, steps,
                 part(&DeformedStep::segments, 0, kRecordPoseSize * s));
    if (header.stress) npz->Singles("rods_stress", {steps, segments}, steps, part(&DeformedStep::stress, v, s));
  }
}

}  // namespace

void WriteCsv(const Recording& recording, const std::string& path) {
  OutputFile file(path);
  const RecordHeader& header = recording.header;
  fmt::memory_buffer line;
  Print(&line, "time");
  PrintNames("q", header.q_names, header.nq, &line);
  PrintNames("v", header.v_names, header.nv, &line);
  Print(&line, ",status,iterations,residual,contacts\n");
  for (int step = 0; step < recording.steps(); ++step) {
    const auto s = static_cast<std::size_t>(step);
    file.Write({line.data(), line.size()});
    line.clear();
    Print(&line, "{}", recording.time[s]);
    for (int k = 0; k < header.nq; ++k) Print(&line, ",{}", recording.q(step, k));
    for (int k = 0; k < header.nv; ++k) Print(&line, ",{}", recording.v(step, k));
    const auto status = static_cast<std::size_t>(recording.status[s]);
    const std::string name = status < header.statuses.size() ? header.statuses[status] : std::to_string(status);
    Print(&line, ",{},{},{},{}\n", Field(name), recording.iterations[s], recording.residual[s],
          recording.StepContacts(step).size());
  }
  file.Write({line.data(), line.size()});
  file.Commit();
}

void WriteContactsCsv(const Recording& recording, const std::string& path) {
  OutputFile file(path);
  fmt::memory_buffer line;
  Print(&line,
        "step,time,object_a,object_b,point_x,point_y,point_z,normal_x,normal_y,normal_z,gap,"
        "impulse_x,impulse_y,impulse_z\n");
  for (int step = 0; step < recording.steps(); ++step) {
    for (const RecordContact& contact : recording.StepContacts(step)) {
      file.Write({line.data(), line.size()});
      line.clear();
      Print(&line, "{},{},{},{}", step, recording.time[static_cast<std::size_t>(step)],
            Field(ObjectName(recording.header, contact.object_a)),
            Field(ObjectName(recording.header, contact.object_b)));
      for (const double x : contact.point) Print(&line, ",{}", x);
      for (const double x : contact.normal) Print(&line, ",{}", x);
      Print(&line, ",{}", contact.gap);
      for (const double x : contact.impulse) Print(&line, ",{}", x);
      Print(&line, "\n");
    }
  }
  file.Write({line.data(), line.size()});
  file.Commit();
}

void WriteDeformablesCsv(const Recording& recording, const std::string& path) {
  const RecordHeader& header = recording.header;
  Require(!header.deformables.empty() || !header.rods.empty(), path, "there are no deformables in the recording",
          "a recording of some");
  OutputFile file(path);
  fmt::memory_buffer text;
  Print(&text, "step,time,body,node,x,y,z,qw,qx,qy,qz,stress\n");
  DeformedReader reader(recording);
  for (int step = 0; step < recording.steps(); ++step) {
    const DeformedStep bodies = reader.Read(step);
    const std::string lead = fmt::format("{},{}", step, recording.time[static_cast<std::size_t>(step)]);
    auto stress = bodies.stress.begin();
    // A line for a node or segment, whose numbers begin at `place`.
    const auto print = [&](const std::string& name, int number, const float* place, int count) {
      Print(&text, "{},{},{}", lead, name, number);
      for (int k = 0; k < count; ++k) Print(&text, ",{}", place[k]);
      Print(&text, "{}", count == 3 ? ",,,,," : ",");
      if (header.stress) Print(&text, "{}", *stress++);
      Print(&text, "\n");
    };
    const float* place = bodies.vertices.data();
    for (const RecordDeformable& d : header.deformables) {
      const std::string name = Field(d.name);
      for (int v = 0; v < d.vertices; ++v, place += 3) {
        print(name, d.nodes.empty() ? v : d.nodes[static_cast<std::size_t>(v)], place, 3);
      }
    }
    place = bodies.segments.data();
    for (const RecordRod& rod : header.rods) {
      const std::string name = Field(rod.name);
      for (int s = 0; s < rod.segments; ++s, place += kRecordPoseSize) print(name, s, place, kRecordPoseSize);
    }
    file.Write({text.data(), text.size()});
    text.clear();
  }
  file.Write({text.data(), text.size()});
  file.Commit();
}

void WriteNpz(const Recording& recording, const std::string& path) {
  NpzWriter npz(path);
  const auto matrix = [&npz](const char* name, const RowMatrixX& values) {
    npz.Reals(name, {values.data(), static_cast<std::size_t>(values.size())}, {values.rows(), values.cols()});
  };
  const auto integers = [&npz](const char* name, const std::vector<int>& values) {
    npz.Integers(name, std::vector<std::int64_t>(values.begin(), values.end()));
  };
  npz.Reals("time", recording.time);
  matrix("q", recording.q);
  matrix("v", recording.v);
  integers("step_status", recording.status);
  integers("step_iterations", recording.iterations);
  npz.Reals("step_residual", recording.residual);
  matrix("step_stages", recording.stages);
  npz.Integers("contacts_start", recording.contact_start);
  const auto count = static_cast<std::int64_t>(recording.contacts.size());
  std::vector<std::int64_t> objects;
  std::vector<double> point, normal, gap, impulse, friction, tangent;
  std::vector<std::int64_t> mode;
  for (const RecordContact& contact : recording.contacts) {
    objects.insert(objects.end(), {contact.object_a, contact.object_b});
    point.insert(point.end(), contact.point.begin(), contact.point.end());
    normal.insert(normal.end(), contact.normal.begin(), contact.normal.end());
    gap.push_back(contact.gap);
    impulse.insert(impulse.end(), contact.impulse.begin(), contact.impulse.end());
    friction.insert(friction.end(), contact.friction.begin(), contact.friction.end());
    tangent.insert(tangent.end(), contact.tangent.begin(), contact.tangent.end());
    mode.push_back(static_cast<std::int64_t>(contact.mode));
  }
  npz.Integers("contacts_objects", objects, {count, 2});
  npz.Reals("contacts_point", point, {count, 3});
  npz.Reals("contacts_normal", normal, {count, 3});
  npz.Reals("contacts_gap", gap);
  npz.Reals("contacts_impulse", impulse, {count, 3});
  if (recording.version >= 2) {
    npz.Reals("contacts_friction", friction, {count, 2});
    npz.Reals("contacts_tangent", tangent, {count, 3});
    npz.Integers("contacts_mode", mode);
    if (recording.header.poses) {
      npz.Reals("links_pose", {recording.poses.data(), static_cast<std::size_t>(recording.poses.size())},
                {recording.poses.rows(), static_cast<std::int64_t>(recording.header.links.size()), kRecordPoseSize});
    }
  }
  WriteDeformables(recording, &npz);
  npz.Texts("names_q", recording.header.q_names);
  npz.Texts("names_v", recording.header.v_names);
  npz.Texts("names_links", recording.header.links);
  npz.Texts("names_joints", recording.header.joints);
  npz.Texts("names_objects", recording.header.objects);
  npz.Texts("names_stages", recording.header.stages);
  npz.Texts("names_statuses", recording.header.statuses);
  npz.Commit();
}

}  // namespace tactus
