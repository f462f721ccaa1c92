-- Pages of memory, given out by a bit map.
--
-- Source: textbook; J. H. Howard and others, ACM Trans. Computer Systems 6, 1988, keep
-- free blocks so.
--
-- expect: N=2 safe states=9 canon=5
-- expect: N=3 safe states=16 canon=5

const N:     2;
      PAGES: 2;
      ALL:   (1 << PAGES) - 1;

type PROC: scalarset(N);
     MASK: 0..ALL;                          -- a set of pages, one bit each

var Used: MASK;
    Mine: array[PROC] of MASK;

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
end;

ruleset p: PROC do
  alias mine: Mine[p] do
    rule "Allocate" Used != ALL ==>
    var page: MASK;
    begin
      page := First(Used ^ ALL);
      Used := Used | page;
      mine := mine | page;
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
