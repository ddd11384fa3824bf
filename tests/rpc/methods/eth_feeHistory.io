// spec: rpc 7: eth_feeHistory
>> {"jsonrpc":"2.0","id":1,"method":"eth_feeHistory","params":["0x2","latest",[50]]}
<< {"id":1,"jsonrpc":"2.0","result":{"baseFeePerBlobGas":["0x0","0x0","0x0"],"baseFeePerGas":["0x12309ce54000","0x12309ce54000","0x12309ce54000"],"blobGasUsedRatio":[0,0],"gasUsedRatio":[0,0.0002],"oldestBlock":"0x0","reward":[["0x191a20322000"],["0x191a20322000"]]}}
>> {"jsonrpc":"2.0","id":1,"method":"eth_feeHistory","params":["0x1","latest",[101]]}
<< {"error":{"code":-32000,"message":"invalid reward percentile: 101.000000"},"id":1,"jsonrpc":"2.0"}
