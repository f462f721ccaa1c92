-- Rules in a distribution can fire as other rules can; how likely they are is for the command pctl.
-- cmurphi: unsafe prop="deadlock" depth=1
-- rumur: unsafe prop="deadlock" depth=1
-- CMurphi gives: rejected
-- Rumur gives: rejected
var n: 0..3;
startstate begin n := 0; end;
ruleset i: 1..2 do
  distribution
    rule n = 0 ? 0.5 : 0.0 ==> begin n := i; end;
    rule n = 0 ? 0.5 : 0.0 ==> begin n := 0; end;
  end;
end;
