// spec: rpc 2.6: eth_subscribe
>> {"jsonrpc":"2.0","id":1,"method":"eth_subscribe","params":["newHeads"]}
<< {"id":1,"jsonrpc":"2.0","result":"<quantity>"}
>> {"jsonrpc":"2.0","id":1,"method":"eth_subscribe","params":["nonsense"]}
<< {"error":{"code":-32601,"message":"no \"nonsense\" subscription in eth namespace"},"id":1,"jsonrpc":"2.0"}
>> {"jsonrpc":"2.0","id":1,"method":"eth_subscribe","params":[]}
<< {"error":{"code":-32602,"message":"expected subscription name as first argument"},"id":1,"jsonrpc":"2.0"}
