// Turns a kind's settings (a plain aggregate) into its line of the table: names, defaults and ranges are written once.
#pragma once

#include <cmath>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include <fmt/format.h>

#include "tactus/generate/generator.h"

namespace tactus {

/// A member of Settings that may be set by name. Bounds are inclusive.
template <class Settings>
struct SettingField {
  const char* name;
  std::variant<double Settings::*, int Settings::*, bool Settings::*> member;
  double min, max;
  const char* what;

  double Get(const Settings& s) const {
    return std::visit([&](auto pointer) { return static_cast<double>(s.*pointer); }, member);
  }
  void Set(Settings* s, double value) const {
    std::visit([&](auto pointer) { (*s).*pointer = static_cast<std::decay_t<decltype((*s).*pointer)>>(value); },
               member);
  }
  bool integer() const { return member.index() != 0; }
};

template <class Settings>
using SettingFields = std::vector<SettingField<Settings>>;

/// Throws InputError unless the value may be given to the parameter.
void CheckParameter(const std::string& kind, const GeneratorParameter& parameter, double value);

template <class Settings>
std::vector<GeneratorParameter> DescribeFields(const SettingFields<Settings>& fields) {
  const Settings defaults;
  std::vector<GeneratorParameter> out;
  for (const auto& f : fields) out.push_back({f.name, f.Get(defaults), f.min, f.max, f.integer(), f.what});
  return out;
}

/// Throws InputError unless every field is within its range.
template <class Settings>
void ValidateFields(const char* kind, const SettingFields<Settings>& fields, const Settings& settings) {
  const std::vector<GeneratorParameter> parameters = DescribeFields(fields);
  for (std::size_t i = 0; i < fields.size(); ++i) CheckParameter(kind, parameters[i], fields[i].Get(settings));
}

template <class Settings>
GeneratorEntry MakeGeneratorEntry(const char* name, const char* what, const SettingFields<Settings>& fields,
                                  ContactProblem (*make)(const Settings&, std::uint64_t)) {
  auto run = [fields, make](const GeneratorParameters& values, std::uint64_t seed) {
    Settings settings;
    for (const auto& field : fields) {
      if (const auto it = values.find(field.name); it != values.end()) field.Set(&settings, it->second);
    }
    return make(settings, seed);
  };
  return {name, what, DescribeFields(fields), std::move(run)};
}

}  // namespace tactus
