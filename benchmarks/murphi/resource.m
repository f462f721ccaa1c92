-- A resource, granted by priority.
--
-- Each process is in its non-critical section (N), tries to get the resource (T), has been
-- granted it (A), uses it (C), or releases it (R). A process may begin to try only while nobody
-- has the resource. The controller then grants it to one of those that try, of the highest
-- priority among them. While a process is in A, C or R, all others stay where they are.
--
-- Processes are divided into classes of equal priority, of M1, M2, … processes, highest first.
-- Only the rule "Grant" tells classes apart. With n processes, m_j of class j and L_j below
-- class j, there are 2^n + 3 Σ m_j 2^(m_j-1) 2^(L_j) reachable states, under the symmetry of
-- classes Π(m_i+1) + 3 Σ m_j Π_{i>j}(m_i+1) orbits, and n+1 + 3 Σ m_j (L_j+1) annotated states.
--
-- Source: A. P. Sistla and P. Godefroid, "Symmetry and reduced symmetry in model checking",
-- TOPLAS 2004; T. Wahl, "Adaptive symmetry reduction", CAV 2007. Neither prints the model.
--
-- expect: M4=0 safe states=316
-- expect: M1=2 safe states=1276
-- expect: M1=4 M2=4 M3=0 M4=0 safe states=1888

const
  M1: 2;  -- the highest priority
  M2: 2;
  M3: 2;
  M4: 2;
  M5: 0;
  M6: 0;
  M7: 0;
  M8: 0;
  M9: 0;
  M10: 0;
  M11: 0;
  M12: 0;
  M13: 0;
  M14: 0;
  M15: 0;
  M16: 0;
  M17: 0;
  M18: 0;
  M19: 0;
  M20: 0;
  M21: 0;
  M22: 0;
  M23: 0;
  M24: 0;
  M25: 0;
  PROC_NUM: M1 + M2 + M3 + M4 + M5 + M6 + M7 + M8 + M9 + M10 + M11 + M12 + M13
    + M14 + M15 + M16 + M17 + M18 + M19 + M20 + M21 + M22 + M23 + M24 + M25;

type
  PROC: 1..PROC_NUM;
  CLASS: 1..25;
  LOCAL: enum {N, T, A, C, R};

var
  State: array [PROC] of LOCAL;
  Free: boolean;

function Class(p: PROC): CLASS;
begin
  if p <= M1 then return 1;
  elsif p <= M1 + M2 then return 2;
  elsif p <= M1 + M2 + M3 then return 3;
  elsif p <= M1 + M2 + M3 + M4 then return 4;
  elsif p <= M1 + M2 + M3 + M4 + M5 then return 5;
  elsif p <= M1 + M2 + M3 + M4 + M5 + M6 then return 6;
  elsif p <= M1 + M2 + M3 + M4 + M5 + M6 + M7 then return 7;
  elsif p <= M1 + M2 + M3 + M4 + M5 + M6 + M7 + M8 then return 8;
  elsif p <= M1 + M2 + M3 + M4 + M5 + M6 + M7 + M8 + M9 then return 9;
  elsif p <= M1 + M2 + M3 + M4 + M5 + M6 + M7 + M8 + M9 + M10 then return 10;
  elsif p <= M1 + M2 + M3 + M4 + M5 + M6 + M7 + M8 + M9 + M10 + M11 then return 11;
  elsif p <= M1 + M2 + M3 + M4 + M5 + M6 + M7 + M8 + M9 + M10 + M11 + M12 then return 12;
  elsif p <= M1 + M2 + M3 + M4 + M5 + M6 + M7 + M8 + M9 + M10 + M11 + M12 + M13 then return 13;
  elsif p <= M1 + M2 + M3 + M4 + M5 + M6 + M7 + M8 + M9 + M10 + M11 + M12 + M13 + M14 then return 14;
  elsif p <= M1 + M2 + M3 + M4 + M5 + M6 + M7 + M8 + M9 + M10 + M11 + M12 + M13 + M14 + M15 then return 15;
  elsif p <= M1 + M2 + M3 + M4 + M5 + M6 + M7 + M8 + M9 + M10 + M11 + M12 + M13 + M14 + M15 + M16 then return 16;
  elsif p <= M1 + M2 + M3 + M4 + M5 + M6 + M7 + M8 + M9 + M10 + M11 + M12 + M13 + M14 + M15 + M16 + M17 then return 17;
  elsif p <= M1 + M2 + M3 + M4 + M5 + M6 + M7 + M8 + M9 + M10 + M11 + M12 + M13 + M14 + M15 + M16 + M17 + M18 then return 18;
  elsif p <= M1 + M2 + M3 + M4 + M5 + M6 + M7 + M8 + M9 + M10 + M11 + M12 + M13 + M14 + M15 + M16 + M17 + M18 + M19 then return 19;
  elsif p <= M1 + M2 + M3 + M4 + M5 + M6 + M7 + M8 + M9 + M10 + M11 + M12 + M13 + M14 + M15 + M16 + M17 + M18 + M19 + M20 then return 20;
  elsif p <= M1 + M2 + M3 + M4 + M5 + M6 + M7 + M8 + M9 + M10 + M11 + M12 + M13 + M14 + M15 + M16 + M17 + M18 + M19 + M20 + M21 then return 21;
  elsif p <= M1 + M2 + M3 + M4 + M5 + M6 + M7 + M8 + M9 + M10 + M11 + M12 + M13 + M14 + M15 + M16 + M17 + M18 + M19 + M20 + M21 + M22 then return 22;
  elsif p <= M1 + M2 + M3 + M4 + M5 + M6 + M7 + M8 + M9 + M10 + M11 + M12 + M13 + M14 + M15 + M16 + M17 + M18 + M19 + M20 + M21 + M22 + M23 then return 23;
  elsif p <= M1 + M2 + M3 + M4 + M5 + M6 + M7 + M8 + M9 + M10 + M11 + M12 + M13 + M14 + M15 + M16 + M17 + M18 + M19 + M20 + M21 + M22 + M23 + M24 then return 24;
  else return 25;
  end;
end;

startstate "Init"
  for p: PROC do State[p] := N; end;
  Free := true;
end;

ruleset p: PROC do
  rule "Try" State[p] = N & forall q: PROC do State[q] = N | State[q] = T end ==>
  begin
    State[p] := T;
  end;

  rule "Grant"
    forall q: PROC do State[q] = N | State[q] = T end
    & State[p] = T & !exists q: PROC do Class(q) < Class(p) & State[q] = T end ==>
  begin
    State[p] := A;
    Free := false;
  end;

  rule "Enter" State[p] = A ==>
  begin
    State[p] := C;
  end;

  rule "Leave" State[p] = C ==>
  begin
    State[p] := R;
  end;

  rule "Release" State[p] = R ==>
  begin
    State[p] := N;
    Free := true;
  end;
end;

invariant "Recorded"
  forall p: PROC do State[p] = A | State[p] = C | State[p] = R -> !Free end;

invariant "Exclusive"
  forall p: PROC do forall q: PROC do
    p != q & State[p] = C -> State[q] != C
  end end;
