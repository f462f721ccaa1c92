type n : scalarset(2);
  t : enum { Get, Put }; -- ERROR 19 "expected '}', found 'Put': it is a reserved word, and no name"
var m : multiset [3] of n;
