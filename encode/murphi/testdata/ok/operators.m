-- Bit operators, shifts, while, and what else only one of the tools knows.
const K : ~5 & 0xff | 1 << 3 ^ -8 >> 1; L : 1 << -1; M : -1 >> 70; N : 1 << 64; Z : 0 * 3;
var n, m : 0..255; b : boolean; r, q : record n : 0..1; end;
startstate
  n := n & m | n ^ ~m << 2 >> 1; n := n & m & 3; n := (n | m) & 1;
  b := b & n = 1 | b; b := (n & m) = 1; b := b && n < 2 || !b;
  n := (n & m) = 1 ? 1 : 2;
end;
rule while n > 0 do n := n - 1; while b do b := false; endwhile; end; r := b ? r : (b ? q : q); clear n; clear r; end;
rule while b : b := false; end; end;

--- dump
-- model test.m, dialect cmurphi, deadlock stuttering
-- const K : integer = -2
-- const L : integer = 0
-- const M : integer = -1
-- const N : integer = 0
-- const Z : integer = 0
-- var 0 n : 0..255
-- var 1 m : 0..255
-- var 2 b : boolean
-- var 3 r : record { 0 n : 0..1 }
-- var 4 q : record { 0 n : 0..1 }
-- leaves 5
-- start 0 ""
--   n := ((n & m) | (n ^ ((~m << 2) >> 1)))
--   n := ((n & m) & 3)
--   n := ((n | m) & 1)
--   b := ((b & (n = 1)) | b)
--   b := ((n & m) = 1)
--   b := ((b & (n < 2)) | !b)
--   n := (((n & m) = 1) ? 1 : 2)
-- rule 0 ""
--   while (n > 0)
--     n := (n - 1)
--     while b
--       b := false
--   if b
--     r := r
--   else
--     if b
--       r := q
--     else
--       r := q
--   clear n
--   clear r
-- rule 1 ""
--   while b
--     b := false
-- prop 0 runtime-error "runtime-error"
-- prop 1 deadlock "deadlock"
