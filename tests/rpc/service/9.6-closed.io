// spec: rpc 9.6: namespaces that are not public
>> {"jsonrpc":"2.0","id":1,"method":"debug_getRawBlock","params":[]}
<< {"error":{"code":-32601,"message":"the method debug_getRawBlock does not exist/is not available"},"id":1,"jsonrpc":"2.0"}
>> {"jsonrpc":"2.0","id":1,"method":"personal_listAccounts","params":[]}
<< {"error":{"code":-32601,"message":"the method personal_listAccounts does not exist/is not available"},"id":1,"jsonrpc":"2.0"}
>> {"jsonrpc":"2.0","id":1,"method":"admin_nodeInfo","params":[]}
<< {"error":{"code":-32601,"message":"the method admin_nodeInfo does not exist/is not available"},"id":1,"jsonrpc":"2.0"}
>> {"jsonrpc":"2.0","id":1,"method":"miner_start","params":[]}
<< {"error":{"code":-32601,"message":"the method miner_start does not exist/is not available"},"id":1,"jsonrpc":"2.0"}
>> {"jsonrpc":"2.0","id":1,"method":"engine_getPayloadV1","params":[]}
<< {"error":{"code":-32601,"message":"the method engine_getPayloadV1 does not exist/is not available"},"id":1,"jsonrpc":"2.0"}
>> {"jsonrpc":"2.0","id":1,"method":"istanbul_consensusStatus","params":[]}
<< {"error":{"code":-32601,"message":"the method istanbul_consensusStatus does not exist/is not available"},"id":1,"jsonrpc":"2.0"}
>> {"jsonrpc":"2.0","id":1,"method":"istanbul_evidence","params":[]}
<< {"error":{"code":-32601,"message":"the method istanbul_evidence does not exist/is not available"},"id":1,"jsonrpc":"2.0"}
