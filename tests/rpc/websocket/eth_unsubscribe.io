// spec: rpc 2.6: eth_unsubscribe
>> {"jsonrpc":"2.0","id":1,"method":"eth_subscribe","params":["logs",{"address":"0x0000000000000000000000000000000000001000"}]}
<< {"id":1,"jsonrpc":"2.0","result":"<quantity>"}
>> {"jsonrpc":"2.0","id":1,"method":"eth_unsubscribe","params":["${result}"]}
<< {"id":1,"jsonrpc":"2.0","result":true}
>> {"jsonrpc":"2.0","id":1,"method":"eth_unsubscribe","params":["0x1"]}
<< {"error":{"code":-32000,"message":"subscription not found"},"id":1,"jsonrpc":"2.0"}
