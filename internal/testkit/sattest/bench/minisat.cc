//go:build minisat

// What minisat.go calls. Literals are signed numbers, as in DIMACS.

#include <cstdlib>
#include <minisat/core/Solver.h>

using namespace Minisat;

static Lit lit(Solver *s, int l) {
  while (s->nVars() < abs(l)) s->newVar();
  return mkLit(abs(l) - 1, l < 0);
}

extern "C" {
void *minisat_new() { return new Solver(); }
void minisat_delete(void *p) { delete static_cast<Solver *>(p); }
void minisat_stop(void *p, int on) {
  if (on) static_cast<Solver *>(p)->interrupt();
  else static_cast<Solver *>(p)->clearInterrupt();
}
void minisat_add(void *p, const int *lits, int n) {
  Solver *s = static_cast<Solver *>(p);
  vec<Lit> c;
  for (int i = 0; i < n; i++) c.push(lit(s, lits[i]));
  s->addClause_(c);
}
int minisat_solve(void *p, const int *lits, int n) {
  Solver *s = static_cast<Solver *>(p);
  vec<Lit> a;
  for (int i = 0; i < n; i++) a.push(lit(s, lits[i]));
  if (!s->okay()) return 20;
  lbool b = s->solveLimited(a);
  return b == l_True ? 10 : b == l_False ? 20 : 0;
}
int minisat_value(void *p, int l) {
  Solver *s = static_cast<Solver *>(p);
  return abs(l) <= s->model.size() && s->modelValue(lit(s, l)) == l_True;
}
int minisat_failed(void *p, int l) {
  Solver *s = static_cast<Solver *>(p);
  for (int i = 0; i < s->conflict.size(); i++)
    if (s->conflict[i] == ~lit(s, l)) return 1;
  return 0;
}
long minisat_conflicts(void *p) { return static_cast<Solver *>(p)->conflicts; }
}
