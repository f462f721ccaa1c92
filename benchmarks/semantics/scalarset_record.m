-- Arrays over a scalarset of records that hold values of it are permuted on both sides.
-- cmurphi: safe states=16 canon=10
-- rumur: safe states=16 canon=10
type S: scalarset(2); R: record next: S; on: boolean end;
var a: array[S] of R;
startstate begin for i: S do a[i].next := i; a[i].on := false; end; end;
ruleset i: S; j: S; b: boolean do rule begin a[i].next := j; a[i].on := b; end; end;
