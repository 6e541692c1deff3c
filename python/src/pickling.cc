#include "python/src/pickling.h"

namespace tactus::python {

nb::object ToState(const std::vector<ContactMode>& modes) {
  std::string out;
  for (const ContactMode mode : modes) out.push_back(static_cast<char>(mode));
  return nb::bytes(out.data(), out.size());
}

void FromState(const nb::handle& state, std::vector<ContactMode>* modes) {
  const nb::bytes bytes = nb::cast<nb::bytes>(state);
  modes->clear();
  for (std::size_t k = 0; k < bytes.size(); ++k) {
    const int mode = static_cast<unsigned char>(bytes.c_str()[k]);
    Require(mode <= static_cast<int>(ContactMode::Slip), "pickle", "a mode of contact is " + std::to_string(mode),
            "0, 1 or 2");
    modes->push_back(static_cast<ContactMode>(mode));
  }
}

nb::object ToState(const std::vector<HistoryEntry>& history) {
  nb::list out;
  for (const HistoryEntry& h : history) {
    out.append(nb::make_tuple(h.iteration, h.newton_steps, h.time, h.natural_rho, h.paper));
  }
  return out;
}

void FromState(const nb::handle& state, std::vector<HistoryEntry>* history) {
  history->clear();
  for (const nb::handle item : nb::cast<nb::list>(state)) {
    const nb::tuple h = nb::cast<nb::tuple>(item);
    Require(h.size() == 5, "pickle", "a line of the history has " + std::to_string(h.size()) + " entries", "5");
    history->push_back({nb::cast<int>(h[0]), nb::cast<int>(h[1]), nb::cast<double>(h[2]), nb::cast<double>(h[3]),
                        nb::cast<double>(h[4])});
  }
}

}  // namespace tactus::python
