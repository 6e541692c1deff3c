#include "tactus/inverse/qpcc_unscale.h"

namespace tactus {

void UnscaleIterate(const QpccScaled& p, const QpccIterate& it, QpccSolution* out) {
  out->actuation = p.E.head(p.na).cwiseProduct(it.x_hat.head(p.na));
  out->contact = p.E.tail(p.m).cwiseProduct(it.x_hat.tail(p.m));
  out->sigma = it.s_hat.cwiseQuotient(p.S);
  out->y_actuation = it.y_x.head(p.na).cwiseQuotient(p.E.head(p.na)) / p.cost;
  out->y_contact = it.y_x.tail(p.m).cwiseQuotient(p.E.tail(p.m)) / p.cost;
  out->y_sigma = it.y_s.cwiseProduct(p.S) / p.cost;
  out->modes = it.modes;
}

void ScaleSolution(const QpccScaled& p, const QpccSolution& in, QpccIterate* it) {
  it->Resize(p);
  it->x_hat.head(p.na) = in.actuation.cwiseQuotient(p.E.head(p.na)).cwiseMax(p.lower).cwiseMin(p.upper);
  it->x_hat.tail(p.m) = in.contact.cwiseQuotient(p.E.tail(p.m));
  it->s_hat = in.sigma.cwiseProduct(p.S);
  it->y_x.head(p.na) = p.cost * in.y_actuation.cwiseProduct(p.E.head(p.na));
  it->y_x.tail(p.m) = p.cost * in.y_contact.cwiseProduct(p.E.tail(p.m));
  it->y_s = p.cost * in.y_sigma.cwiseQuotient(p.S);
  it->modes = in.modes;
}

}  // namespace tactus
