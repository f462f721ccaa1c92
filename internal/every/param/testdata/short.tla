---- MODULE short ----
\* m.m, for every size: each rule is an action. A step in which a rule errs is none; see NoError.
EXTENDS Integers, FiniteSets
CONSTANTS Undefined, NODE
ASSUME IsFiniteSet(NODE) /\ Cardinality(NODE) >= 2
SomeNODE(x) == IF x \in NODE THEN x ELSE CHOOSE y \in NODE : TRUE

VARIABLES nWF_NEXT, Next2, free
vars == <<nWF_NEXT, Next2, free>>

TypeOK ==
  /\ nWF_NEXT \in [NODE -> {"Idle", "Busy"}]
  /\ Next2 \in NODE \cup {Undefined}
  /\ free \in {FALSE, TRUE}

\* m.m:6:1
one ==
    /\ (\A i1 \in NODE : (nWF_NEXT[i1] # "Busy" \/ (Next2 \in NODE /\ ~free /\ i1 = Next2)))

\* m.m:7:1
asks_Next ==
    /\ ((Next2 \in NODE \/ free) /\ (free \/ (Next2 \in NODE /\ nWF_NEXT[SomeNODE(Next2)] = "Busy")))

\* m.m:3:1
start_state_at_3_1 ==
    /\ nWF_NEXT = [a1 \in NODE |-> "Idle"]
    /\ Next2 = Undefined
    /\ free = TRUE

Init ==
  /\ \/ start_state_at_3_1

\* m.m:4:20
Next3(n) ==
    /\ (free /\ nWF_NEXT[n] # "Busy")
    /\ nWF_NEXT' = [a1 \in NODE |-> IF n = a1 THEN "Busy" ELSE nWF_NEXT[a1]]
    /\ Next2' = n
    /\ free' = FALSE

\* m.m:5:24
next(Next_) ==
    /\ (Next2 \in NODE /\ ~free /\ Next2 = Next_)
    /\ nWF_NEXT' = [a1 \in NODE |-> IF Next_ = a1 THEN "Idle" ELSE nWF_NEXT[a1]]
    /\ Next2' = Undefined
    /\ free' = TRUE

Next ==
  /\ \/ \E n \in NODE : Next3(n)
     \/ \E Next_ \in NODE : next(Next_)

Spec == Init /\ [][Next]_vars

Invariant ==
  /\ TypeOK
  /\ one
  /\ asks_Next

THEOREM Init => Invariant
THEOREM Invariant /\ [Next]_vars => Invariant'

NoDeadlock ==
    /\ ((free /\ (\E i1 \in NODE : nWF_NEXT[i1] # "Busy")) \/ (Next2 \in NODE /\ ~free))
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
