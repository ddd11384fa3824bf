// spec: rpc 7: istanbul_gasTip
>> {"jsonrpc":"2.0","id":1,"method":"istanbul_gasTip","params":[]}
<< {"id":1,"jsonrpc":"2.0","result":"0x191a20322000"}
>> {"jsonrpc":"2.0","id":1,"method":"istanbul_gasTip","params":["0xffff"]}
<< {"error":{"code":-32000,"message":"unknown block"},"id":1,"jsonrpc":"2.0"}
