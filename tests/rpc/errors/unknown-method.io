// spec: rpc 2.5: -32601 for an unknown method and for one that is not open here
>> {"jsonrpc":"2.0","id":1,"method":"eth_nonsense","params":[]}
<< {"error":{"code":-32601,"message":"the method eth_nonsense does not exist/is not available"},"id":1,"jsonrpc":"2.0"}
>> {"jsonrpc":"2.0","id":1,"method":"nonsense_method","params":[]}
<< {"error":{"code":-32601,"message":"the method nonsense_method does not exist/is not available"},"id":1,"jsonrpc":"2.0"}
>> {"jsonrpc":"2.0","id":1,"method":"nonsense","params":[]}
<< {"error":{"code":-32601,"message":"the method nonsense does not exist/is not available"},"id":1,"jsonrpc":"2.0"}
>> {"jsonrpc":"2.0","id":1,"method":"admin_peers","params":[]}
<< {"error":{"code":-32601,"message":"the method admin_peers does not exist/is not available"},"id":1,"jsonrpc":"2.0"}
