module m(input clk, input a, input r);
 reg [1:0] c=0; reg w=0;
 always @(posedge clk) begin
  if (r) w <= 1; else if (c==3) w <= 0;
  if (a) c <= c+1;
 end
 always @(posedge clk) begin
   if (w) x: assert(s_eventually !w);
   if (w) y: assert(s_eventually c==2);
   assume(s_eventually a);
 end
endmodule
