// spec: rpc 6.7: istanbul_status
>> {"jsonrpc":"2.0","id":1,"method":"istanbul_status","params":["0x1","0x1"]}
<< {"id":1,"jsonrpc":"2.0","result":{"author":{"0x1b323dc1c728fd71dfda262b9b0f3646e8d3388a":1},"blockRange":{"endBlock":1,"startBlock":1,"totalBlocks":1},"roundStats":{"roundDistribution":{"0":1}},"sealerActivity":{"committed":{"0x1b323dc1c728fd71dfda262b9b0f3646e8d3388a":1},"prepared":{"0x1b323dc1c728fd71dfda262b9b0f3646e8d3388a":1},"prevCommitted":{"0x1b323dc1c728fd71dfda262b9b0f3646e8d3388a":0},"prevPrepared":{"0x1b323dc1c728fd71dfda262b9b0f3646e8d3388a":0},"total":{"0x1b323dc1c728fd71dfda262b9b0f3646e8d3388a":2}}}}
>> {"jsonrpc":"2.0","id":1,"method":"istanbul_status","params":["0x1"]}
<< {"error":{"code":-32000,"message":"pass the end block number"},"id":1,"jsonrpc":"2.0"}
>> {"jsonrpc":"2.0","id":1,"method":"istanbul_status","params":["0x1","0xffff"]}
<< {"error":{"code":-32000,"message":"end block number should be less than or equal to current block height"},"id":1,"jsonrpc":"2.0"}
>> {"jsonrpc":"2.0","id":1,"method":"istanbul_status","params":["pending","latest"]}
<< {"error":{"code":-32000,"message":"unsupported block number: -1"},"id":1,"jsonrpc":"2.0"}
