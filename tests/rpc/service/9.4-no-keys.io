// spec: rpc 9.4, 9.7: methods that need a key of the node do not exist; a developer chain has its own eth_accounts and eth_sendTransaction
>> {"jsonrpc":"2.0","id":1,"method":"eth_signRawFeeDelegateTransaction","params":[{},"0x"]}
<< {"error":{"code":-32601,"message":"the method eth_signRawFeeDelegateTransaction does not exist/is not available"},"id":1,"jsonrpc":"2.0"}
>> {"jsonrpc":"2.0","id":1,"method":"personal_signRawFeeDelegateTransaction","params":[{},"0x",""]}
<< {"error":{"code":-32601,"message":"the method personal_signRawFeeDelegateTransaction does not exist/is not available"},"id":1,"jsonrpc":"2.0"}
>> {"jsonrpc":"2.0","id":1,"method":"eth_sign","params":["${sender}","0x"]}
<< {"error":{"code":-32601,"message":"the method eth_sign does not exist/is not available"},"id":1,"jsonrpc":"2.0"}
>> {"jsonrpc":"2.0","id":1,"method":"eth_signTransaction","params":[{}]}
<< {"error":{"code":-32601,"message":"the method eth_signTransaction does not exist/is not available"},"id":1,"jsonrpc":"2.0"}
