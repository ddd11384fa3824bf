// spec: rpc 9.2: hex quantities without leading zeros
>> {"jsonrpc":"2.0","id":1,"method":"eth_getBlockByNumber","params":["0x00",false]}
<< {"error":{"code":-32602,"message":"invalid argument 0: hex number with leading zero digits: a block is latest, earliest, pending, safe, finalized or a number like 0x1b4"},"id":1,"jsonrpc":"2.0"}
>> {"jsonrpc":"2.0","id":1,"method":"eth_blockNumber","params":[]}
<< {"id":1,"jsonrpc":"2.0","result":"0x1"}
