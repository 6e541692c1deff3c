// Sines and cosines of many angles at once, two in a vector register.
#pragma once

namespace tactus {

/// s[i] = sin(x[i]), c[i] = cos(x[i]), to within one unit in the last place. The same bits on every machine, whatever
/// its C library, for |x| up to 1.6e6; the C library's beyond. NaN and infinity give NaN.
void CalcSinCos(const double* x, int count, double* s, double* c);

}  // namespace tactus
