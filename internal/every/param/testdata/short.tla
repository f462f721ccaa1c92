---- MODULE short ----
\* m.m, for every size: each rule is an action. A step in which a rule errs is none; see NoError.
EXTENDS Integers, FiniteSets
CONSTANTS Undefined, NODE
ASSUME IsFiniteSet(NODE) /\ Cardinality(NODE) >= 2
SomeNODE(x) == IF x \in NODE THEN x ELSE CHOOSE y \in NODE : TRUE

VARIABLES nWF_NEXT, Next_, free
vars == <<nWF_NEXT, Next_, free>>

TypeOK ==
  /\ nWF_NEXT \in [NODE -> {"Idle", "Busy"}]
  /\ Next_ \in NODE \cup {Undefined}
  /\ free \in {FALSE, TRUE}

\* m.m:6:1
one ==
    /\ (\A i1 \in NODE : (nWF_NEXT[i1] # "Busy" \/ (Next_ \in NODE /\ ~free /\ i1 = Next_)))

\* m.m:7:1
asks_Next ==
    /\ ((Next_ \in NODE \/ free) /\ (free \/ (Next_ \in NODE /\ nWF_NEXT[SomeNODE(Next_)] = "Busy")))

\* m.m:3:1
start_state_at_3_1 ==
    /\ nWF_NEXT = [a1 \in NODE |-> "Idle"]
    /\ Next_ = Undefined
    /\ free = TRUE

Init ==
  /\ \/ start_state_at_3_1

\* m.m:4:20
Next__(n) ==
    /\ (free /\ nWF_NEXT[n] # "Busy")
    /\ nWF_NEXT' = [a1 \in NODE |-> IF n = a1 THEN "Busy" ELSE nWF_NEXT[a1]]
    /\ Next_' = n
    /\ free' = FALSE

\* m.m:5:24
next(Next___) ==
    /\ (Next_ \in NODE /\ ~free /\ Next_ = Next___)
    /\ nWF_NEXT' = [a1 \in NODE |-> IF Next___ = a1 THEN "Idle" ELSE nWF_NEXT[a1]]
    /\ Next_' = Undefined
    /\ free' = TRUE

Next ==
  /\ \/ \E n \in NODE : Next__(n)
     \/ \E Next___ \in NODE : next(Next___)

Spec == Init /\ [][Next]_vars

Invariant ==
  /\ TypeOK
  /\ one
  /\ asks_Next

THEOREM Init => Invariant
THEOREM Invariant /\ [Next]_vars => Invariant'

NoDeadlock ==
    /\ ((free /\ (\E i1 \in NODE : nWF_NEXT[i1] # "Busy")) \/ (Next_ \in NODE /\ ~free))
THEOREM Invariant => NoDeadlock

========================================
(* A configuration of TLC:
SPECIFICATION Spec
CHECK_DEADLOCK FALSE
INVARIANTS TypeOK one asks_Next NoDeadlock
CONSTANTS
  Undefined = Undefined
  NODE = {node1, node2}
*)
