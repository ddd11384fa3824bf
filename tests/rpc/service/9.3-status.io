// spec: rpc 9.3, 6.7: istanbul_status refuses a range above the head
>> {"jsonrpc":"2.0","id":1,"method":"istanbul_status","params":["0x1","0xffff"]}
<< {"error":{"code":-32000,"message":"end block number should be less than or equal to current block height"},"id":1,"jsonrpc":"2.0"}
