chan q = [2] of { byte };

active proctype P()
{	byte k;
	byte m;

again:
	do
	:: k < 2 ->
		k++;
		atomic {
			q!k;
			m = k
		}
	:: k == 2 -> m = 0;
	   k = 0
	:: else -> break
	od
}
