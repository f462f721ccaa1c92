-- Pages of memory, given out by a bit map that is read and written in two steps.
--
-- The story: a process looks for a free page and takes it later, when another may have
-- taken it.
--
-- Source: page_bits.m, which says how it is meant to work.
--
-- expect: N=2 unsafe prop="Disjoint" depth=4
-- expect: N=3 unsafe prop="Disjoint" depth=4

const N:     2;
      PAGES: 2;
      ALL:   (1 << PAGES) - 1;

type PROC: scalarset(N);
     MASK: 0..ALL;                          -- a set of pages, one bit each

var Used: MASK;
    Mine: array[PROC] of MASK;
    Want: array[PROC] of MASK;              -- the page to take, or 0

-- The first page in a set that is not empty.
function First(pages: MASK): MASK;
var bit: MASK;
begin
  bit := 1;
  while (bit & pages) = 0 do bit := bit << 1; end;
  return bit;
end;

function Owned(): MASK;
var pages: MASK;
begin
  pages := 0;
  for p: PROC do pages := pages | Mine[p]; end;
  return pages;
end;

startstate "Init"
  clear Used;
  clear Mine;
  clear Want;
end;

ruleset p: PROC do
  alias mine: Mine[p] do
    -- bug: two steps
    rule "Allocate, look" Used != ALL & Want[p] = 0 ==>
    begin
      Want[p] := First(Used ^ ALL);
    end;

    rule "Allocate, take" Want[p] != 0 ==>
    begin
      Used := Used | Want[p];
      mine := mine | Want[p];
      Want[p] := 0;
    end;

    rule "Give one back" mine != 0 ==>
    var page: MASK;
    begin
      page := First(mine);
      Used := Used & ~page;
      mine := mine ^ page;
    end;

    rule "Give all back" mine != 0 ==>
    begin
      Used := Used & ~mine;
      mine := 0;
    end;
  end;
end;

invariant "Disjoint"
  forall p: PROC do forall q: PROC do p != q -> (Mine[p] & Mine[q]) = 0 end end;

invariant "Accounted" Used = Owned();

ruleset p: PROC do
  cover "Greedy" Mine[p] = ALL;
  liveness "Empty handed" Mine[p] = 0;
end;
