-- Every kind of type; sections in any order and more than once; constants in
-- terms of constants; names for names.
const
  N : 3; M, L : 2 * N - 1;
  Flag : N < M & !false;
type
  Colour : enum { red, green, blue, };
  Id : 1..N
  Other : Id;
  Paint : Colour;
  Proc : scalarset(N);
  Bit : boolean;
  Row : array [Proc] of array [Colour] of Id;
  Rec : Record
    a, b : Bit;
    c : Row;
    d : record x : -1 .. +1; endrecord;
  end;
const Best : green;
var
  r, s : Rec;
  p : Proc
  q : scalarset(2);
  f : array [boolean] of enum { on, off };
  g : array [0..0x1f] of Other;;

startstate end;

--- dump
-- model test.m, dialect cmurphi, deadlock stuttering
-- const N : integer = 3
-- const M : integer = 5
-- const L : integer = 5
-- const Flag : boolean = true
-- const Best : Colour = green
-- scalarset 0 Proc : 1..3
-- scalarset 1 scalarset(2) : 1..2
-- type Colour : enum {red, green, blue}
-- type Id : 1..3
-- type Other : 1..3
-- type Proc : scalarset(3)
-- type Row : array [Proc] of array [Colour] of Id
-- type Rec : record { 0 a : boolean; 1 b : boolean; 2 c : Row; 11 d : record { 0 x : -1..1 } }
-- var 0 r : Rec
-- var 12 s : Rec
-- var 24 p : Proc
-- var 25 q : scalarset(2)
-- var 26 f : array [boolean] of enum {on, off}
-- var 28 g : array [0..31] of Other
-- leaves 60
-- start 0 ""
-- prop 0 runtime-error "runtime-error"
-- prop 1 deadlock "deadlock"
