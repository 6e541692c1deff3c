// The scene itself: settings, and the lists of all that is in it.
#include "tactus/scene/scene_tables.h"
#include "tactus/scene/expand_scene.h"

#include <algorithm>
#include <set>

#include <fmt/format.h>

#include "tactus/io/parse_number.h"
#include "tactus/simulation/simulator.h"
#include "tactus/solvers/registry.h"

namespace tactus::scene {

namespace {

using S = SceneDescription;
constexpr std::size_t kMany = 100000;

// A key of the scene that is one of its settings.
template <typename V>
Codec<S> Setting(V SceneSettings::*member, const Codec<V>& codec) {
  return {[member, codec](const Cursor& cursor, S* out) { codec.read(cursor, &(out->settings.*member)); },
          codec.schema};
}

Codec<std::optional<std::string>> SolverName() {
  std::vector<std::string> names;
  for (const SolverEntry& entry : Solvers()) names.emplace_back(entry.name);
  return {[names](const Cursor& cursor, std::optional<std::string>* out) { *out = names[ReadChoice(cursor, names)]; },
          ChoiceSchema(names)};
}

const Keys<CondSettings>& CondKeys() {
  using T = CondSettings;
  // Those of which all but the ends are taken.
  constexpr NumberRule kBelowOne{0, 0.999999, true, ""}, kBelowTwo{0, 1.999, true, ""};
  static const Keys<T> keys =
      Keys<T>("cond", "What may be chosen about COND; other solvers do not look at it.")
          .Add("law", &T::law,
               Choice<CondOperator>({{"strict", CondOperator::Strict}, {"proximal", CondOperator::Proximal}}),
               "strict: the exact law; proximal: its convex relaxation, sliding contacts separate")
          .Add("weights", &T::weights,
               Choice<CondWeights>({{"scaled", CondWeights::Scaled},
                                    {"frobenius", CondWeights::Frobenius},
                                    {"jacobi", CondWeights::Jacobi},
                                    {"scalar", CondWeights::Scalar},
                                    {"bb1", CondWeights::BB1},
                                    {"bb2", CondWeights::BB2},
                                    {"bb_alternate", CondWeights::BBAlternate}}),
               "the step-size matrix W; bb: steps of Barzilai and Borwein, without acceleration")
          .Add("virtual_nodes", &T::virtual_nodes,
               Choice<CondVirtualNodes>({{"exact", CondVirtualNodes::Exact}, {"plain", CondVirtualNodes::Plain}}),
               "of rigid bodies; plain: tied by damping only, answers are off by the order of 1/kappa")
          .Add("kappa", &T::kappa, Number({0, 1e9, true, ""}), "damping of virtual nodes, in masses of the body")
          .Add("chain_kappa", &T::chain_kappa, Number({0, 1e9, true, ""}), "the same on rods")
          .Add("shared", &T::shared,
               Choice<CondShared>({{"jacobi", CondShared::Jacobi}, {"gauss_seidel", CondShared::GaussSeidel}}),
               "contacts on one node: all at once, or one after the other")
          .Add("schur", &T::schur, Bool(), "nodes without contact are solved exactly, by one factorization")
          .Add("chebyshev", &T::chebyshev, Bool(), "acceleration")
          .Add("rho_cap", &T::rho_cap, Number(kBelowOne), "largest rate that Chebyshev counts on")
          .Add("rho_window", &T::rho_window, Integer(1, 64), "steps whose mean rate it takes")
          .Add("slow_start", &T::slow_start, Integer(2, 1000000), "plain iterations before it")
          .Add("relaxation", &T::relaxation, Number({0, 1, true, ""}), "of the acceleration")
          .Add("spectral_target", &T::spectral_target, Number(kBelowTwo), "largest eigenvalue of W A")
          .Add("recycle_weights", &T::recycle_weights, Bool(), "W of the step before is used again")
          .Add("equal_pair_weights", &T::equal_pair_weights, Bool(), "the two nodes of a contact share one weight")
          .Add("omega", &T::omega, Number(Within(0, 1e6, "m/(N s)")),
               "compliance of contacts, for the inverse; 0: none [m/(N s)]")
          .Add("still", &T::still, Number(Within(0, 1e6, "m/s")),
               "also stop where an iteration moves velocities less: the paper's test, no measure of the error [m/s]");
  return keys;
}

const Keys<SceneSettings>& SolverKeys() {
  using T = SceneSettings;
  const SimulatorSettings standard;
  static const Keys<T> keys =
      Keys<T>("solver", "Of contact problems.")
          .Add("name", &T::solver, SolverName(), "see `tactus solvers`")
          .Default("\"" + standard.solver + "\"")
          .Add("tolerance", &T::tolerance, Maybe(Number({0, 0.5, true, ""})), "on the residual natural_rho")
          .Default(ShowNumber(standard.solve.tolerance))
          .Add("k_v", &T::virtual_node_damping, Maybe(Number(Within(0, 1e12, "N s/m"))),
               "of cond: damping that ties contacts to rigid bodies (paper 001), which then sink in; 0: as cond says "
               "[N s/m]")
          .Default("0")
          .Add("cond", &T::cond, Object(CondKeys()), "of cond")
          .Add("max_iterations", &T::max_iterations, Maybe(Integer(0, 1000000000)), "0: the solver's own default")
          .Default(ShowNumber(standard.solve.max_iterations))
          .Add("time_budget", &T::time_budget, Maybe(Number(Within(0, 1e6, "s"))),
               "of all solves of a step together, 0: none [s]")
          .Default(ShowNumber(standard.solve.time_budget))
          .Add("warm_start", &T::warm_start, Maybe(Bool()), "from the impulses of the step before")
          .Default(standard.warm_start ? "true" : "false");
  return keys;
}

const Keys<SceneSettings>& StabilizationKeys() {
  using T = SceneSettings;
  const StabilizationSettings standard;
  static const Keys<T> keys =
      Keys<T>("stabilization", "How fast errors of position are corrected.")
          .Add("kind", &T::stabilization,
               Maybe(Choice<SceneStabilization>({{"gap_speed", SceneStabilization::GapSpeed},
                                                 {"baumgarte", SceneStabilization::Baumgarte},
                                                 {"split", SceneStabilization::Split}})),
               "gap_speed, baumgarte (adds energy), or split (adds no momentum)")
          .Default("\"gap_speed\"")
          .Add("alpha", &T::stabilization_alpha, Maybe(Number(Within(0, 1))), "share of the error in a step")
          .Default(ShowNumber(standard.alpha))
          .Add("max_speed", &T::stabilization_max_speed, Maybe(Number(AtLeast(0, "m/s"))),
               "the most at which errors are corrected [m/s]")
          .Default(ShowNumber(standard.max_speed))
          .Add("slop", &T::stabilization_slop, Maybe(Number(AtLeast(0, "m"))),
               "overlaps of contacts up to this are left as they are, so that piles come to rest [m]")
          .Default(ShowNumber(standard.slop));
  return keys;
}

template <typename Part>
void AddPart(const char* key, const Keys<Part>& part, const char* help, Keys<S>* keys) {
  keys->AddRead(
      key, [&part](const Cursor& cursor, S* out) { part.Read(cursor, &out->settings); }, part.schema(), help);
}

void AddSettings(Keys<S>* keys) {
  using T = SceneSettings;
  const SimulatorSettings standard;  // what the scene does not say is left to the simulator
  const auto add = [keys](const char* key, auto member, const auto& codec, const char* help, const std::string& value) {
    const Codec<S> setting = Setting(member, codec);
    keys->AddRead(key, setting.read, setting.schema, help).Default(value);
  };
  add("time_step", &T::time_step, Number(Within(1e-9, 1, "s")), "h; fractions as 1/240 are fine [s]",
      ShowNumber(T().time_step));
  add("theta", &T::theta, Maybe(Number(Within(0, 0.5))), "0: implicit Euler, 0.5: midpoint rule",
      ShowNumber(standard.scheme.theta));
  add("linearizations", &T::linearizations, Maybe(Integer(0, 100)),
      "of the constraints within a step; 0: one, or two if theta > 0", ShowNumber(standard.linearizations));
  add("margin", &T::margin, Maybe(Number(Within(0, 1e3, "m"))), "contacts are looked for this far ahead [m]",
      ShowNumber(standard.contacts.margin));
  add("max_points", &T::max_points, Maybe(Integer(4, 100000)), "most contact points of a pair of shapes",
      ShowNumber(standard.contacts.max_points));
  add("max_contacts", &T::max_contacts, Maybe(Integer(1, 10000000)),
      "of everything; more of them (bodies in one place) are refused",
      fmt::format("{}", standard.contacts.max_contacts));
  add("rest_speed", &T::rest_speed, Maybe(Number(AtLeast(0, "m/s"))), "slower contacts do not bounce [m/s]",
      ShowNumber(standard.rest_speed));
  add("impact_threshold", &T::impact_threshold, Maybe(Number(AtLeast(0))),
      "theta > 0: jumps of velocity beyond this times gravity times h make the step one of theta = 0",
      ShowNumber(standard.impact_threshold));
  add("newton_iterations", &T::newton_iterations, Maybe(Integer(0, 1000)),
      "deformables: most steps of Newton's method for fully implicit integration; 0: linearised once",
      ShowNumber(standard.newton_iterations));
  add("newton_tolerance", &T::newton_tolerance, Maybe(Number({0, 0.5, true, ""})),
      "of Newton's method: relative change of velocities", ShowNumber(standard.newton_tolerance));
  AddPart("stabilization", StabilizationKeys(), "of errors of position", keys);
  AddPart("solver", SolverKeys(), "of contact problems", keys);
  add("on_failure", &T::on_failure,
      Maybe(Choice<SceneFailurePolicy>({{"continue", SceneFailurePolicy::Continue},
                                        {"retry", SceneFailurePolicy::Retry},
                                        {"stop", SceneFailurePolicy::Stop}})),
      "when the solver misses its tolerance: move on with the best iterate, solve again, or stop", "\"continue\"");
  add("retry_solver", &T::retry_solver, SolverName(), "of on_failure: retry", "\"" + standard.retry_solver + "\"");
  add("threads", &T::threads, Maybe(Integer(1, 256)),
      "of collision detection and of the solvers that use several (subadmm, auto, cond); results do not depend on it",
      ShowNumber(standard.threads));
}

void ReadSeed(const Cursor& cursor, S* out) {
  const std::optional<long long> value = cursor.IsText() ? ParseInteger(cursor.node().text) : std::nullopt;
  if (!value || *value < 0) cursor.FailValue("a whole number >= 0");
  out->seed = static_cast<std::uint64_t>(*value);
}

void ReadMaterials(const Cursor& cursor, S* out) {
  cursor.RequireMap();
  for (std::size_t i = 0; i < cursor.size(); ++i) {
    Material material;
    MaterialKeys().Read(cursor.At(i), &material);
    out->materials.emplace_back(cursor.node().keys[i], material);
  }
}

struct PairValues {
  std::vector<std::string> bodies;
  double friction = 1;
};

const Keys<PairValues>& PairKeys() {
  static const Keys<PairValues> keys =
      Keys<PairValues>("contact_pair", "Two that touch with a friction of their own.")
          .Add("bodies", &PairValues::bodies, List(Text(), 2), "two objects, links, models or deformables")
          .Required()
          .Add("friction", &PairValues::friction, Number(Within(0, 1e6)), "between them")
          .Required()
          .Finally([](const Cursor& cursor, PairValues* out) {
            if (out->bodies.size() != 2) cursor.Key("bodies").FailValue("two names");
          });
  return keys;
}

void ReadExcludes(const Cursor& cursor, S* out) {
  std::vector<std::vector<std::string>> pairs;
  List(List(Text(), 2), kMany).read(cursor, &pairs);
  for (std::size_t i = 0; i < pairs.size(); ++i) {
    if (pairs[i].size() != 2) cursor.At(i).FailValue("two names of objects, links, models or deformables");
    out->contact_excludes.emplace_back(pairs[i][0], pairs[i][1]);
  }
}

void ReadPairs(const Cursor& cursor, S* out) {
  std::vector<PairValues> pairs;
  List(Object(PairKeys()), kMany).read(cursor, &pairs);
  for (const PairValues& pair : pairs) {
    out->contact_pairs.push_back({pair.bodies[0], pair.bodies[1], pair.friction});
  }
}

const Keys<S>& ContactKeys() {
  static const Keys<S> keys =
      Keys<S>("contacts", "Exceptions to who touches whom, and how.")
          .AddRead("exclude", ReadExcludes, ListSchema(List(Text(), 2).schema, kMany),
                   "pairs [a, b] that do not touch: objects, links, whole models, deformables")
          .AddRead("pairs", ReadPairs, ListSchema(PairKeys().schema(), kMany), "with a friction of their own")
          .Add("enabled", &S::contacts_enabled, Bool(), "false: nothing touches anything, to see what contacts do");
  return keys;
}

// Models and objects share their names; constraints and the like have names for reports only.
void CheckScene(const Cursor& cursor, S* out) {
  std::set<std::string> names;
  const auto check = [&](const char* list, const auto& items) {
    for (std::size_t i = 0; i < items.size(); ++i) {
      if (!names.insert(items[i].name).second) {
        cursor.Key(list).At(i).Fail("there is another model or object of that name, or something that deforms",
                                    "unique names");
      }
    }
  };
  check("models", out->models);
  check("objects", out->objects);
  check("deformables", out->deformables);
  double bodies = 0;
  for (const SceneObject& object : out->objects) bodies += object.array ? object.array->size() : 1;
  const int most = cursor.context().settings->max_bodies;
  if (bodies > most) cursor.Key("objects").Fail("there are too many copies", "at most " + std::to_string(most));
  CheckReferences(cursor, *out);
}

}  // namespace

const Keys<RandomizeValues>& RandomizeKeys() {
  using R = RandomizeValues;
  static const Keys<R> keys =
      Keys<R>("randomize", "A number of the scene that is drawn by its seed. One of uniform, normal, scale.")
          .Add("path", &R::path, Text(), "as in objects.cube.mass or objects.cube.pose.position.0")
          .Required()
          .Add("uniform", &R::uniform, Numbers(AnyNumber(), 2, 2), "least and greatest value")
          .Add("normal", &R::normal, Numbers(AnyNumber(), 2, 2), "mean and standard deviation")
          .Add("scale", &R::scale, Numbers(AnyNumber(), 2, 2), "least and greatest factor of the number that is there")
          .Finally([](const Cursor& cursor, R* out) {
            if (cursor.Has("uniform") + cursor.Has("normal") + cursor.Has("scale") != 1) {
              cursor.Fail("it does not have one distribution", "one of uniform, normal, scale");
            }
            for (const auto* range : {&out->uniform, &out->scale}) {
              if (!range->empty() && (*range)[0] > (*range)[1]) {
                cursor.Fail("its range is the wrong way round", "[least, greatest]");
              }
            }
            if (!out->normal.empty() && out->normal[1] < 0) {
              cursor.Key("normal").Fail("its deviation is negative", "[mean, deviation >= 0]");
            }
          });
  return keys;
}

const Keys<SceneDescription>& SceneKeys() {
  static const Keys<S> keys = [] {
    Keys<S> k("scene", "A scene of tactus.");
    k.Add("name", &S::name, Text(), "of the scene");
    k.Add("description", &S::description, Text(1 << 16), "what it shows");
    k.Add("gravity", &S::gravity, Vector(Within(-1e6, 1e6, "m/s^2")), "[m/s^2]");
    k.Add("duration", &S::duration, Number({0, 1e9, true, "s"}), "[s]");
    k.AddRead("seed", ReadSeed, R"({"type": "integer", "minimum": 0})", "of randomize and of jitter").Default("0");
    k.Add("trials", &S::trials, Integer(1, 1000000), "runs of the scene, each with its own `trial` and random numbers");
    k.Add("parameters", &S::parameters, MapOf(ParameterCodec()), "numbers by name, for $(expressions) and --set");
    AddSettings(&k);
    k.AddRead("materials", ReadMaterials, MapSchema(MaterialKeys().schema()), "by name");
    k.Add("models", &S::models, List(Object(ModelKeys()), 10000), "robots and mechanisms out of files");
    k.Add("objects", &S::objects, List(Object(ObjectKeys()), kMany), "rigid bodies");
    k.Add("deformables", &S::deformables, List(OneOf(DeformableKinds()), 10000), "what bends, stretches and yields");
    k.Add("constraints", &S::constraints, List(OneOf(ConstraintKinds()), kMany), "what holds bodies and joints");
    k.Add("drives", &S::drives, List(Object(DriveKeys()), kMany), "motors");
    k.Add("controllers", &S::controllers, List(OneOf(ControllerKinds()), 1000), "what tells motors what to do");
    k.Add("wrenches", &S::wrenches, List(Object(WrenchKeys()), kMany), "forces from outside");
    k.Add("sensors", &S::sensors, List(OneOf(SensorKinds()), kMany), "what is measured");
    k.Add("goals", &S::goals, List(OneOf(GoalKinds()), kMany), "what the scene's task is, judged at its end");
    k.AddRead(
        "contacts", [](const Cursor& cursor, S* out) { ContactKeys().Read(cursor, out); }, ContactKeys().schema(),
        "exceptions");
    k.AddRead(
        "randomize",
        [](const Cursor& cursor, S*) {
          // The numbers were drawn before all else was read; this is for scenes without any.
          std::vector<RandomizeValues> values;
          List(Object(RandomizeKeys()), 10000).read(cursor, &values);
        },
        ListSchema(RandomizeKeys().schema(), 10000), "numbers that are drawn by the seed");
    k.Finally(CheckScene);
    return k;
  }();
  return keys;
}

std::vector<const TableInfo*> AllTables() {
  std::vector<const TableInfo*> tables = {
      &SceneKeys().info(), &StabilizationKeys().info(), &SolverKeys().info(), &CondKeys().info(),
      &PoseTable(),        &MaterialKeys().info(),      &ModelKeys().info(),  &ObjectKeys().info()};
  const auto append = [&tables](const auto& kinds) {
    for (const auto& kind : kinds) tables.push_back(&kind.keys.info());
  };
  for (const TableInfo* table : ObjectTables()) tables.push_back(table);
  for (const TableInfo* table : DeformableTables()) tables.push_back(table);
  append(ConstraintKinds());
  tables.push_back(&DriveKeys().info());
  append(ControllerKinds());
  append(TaskKinds());
  tables.push_back(&SoftTaskKeys().info());
  tables.push_back(&PathPointKeys().info());
  tables.push_back(&WrenchKeys().info());
  append(SensorKinds());
  append(GoalKinds());
  tables.push_back(&GoalPartKeys().info());
  tables.push_back(&ParameterKeys().info());
  tables.push_back(&ContactKeys().info());
  tables.push_back(&PairKeys().info());
  tables.push_back(&RandomizeKeys().info());
  return tables;
}

}  // namespace tactus::scene
