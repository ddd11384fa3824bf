// spec: rpc 9.5, 7: eth_feeHistory
>> {"jsonrpc":"2.0","id":1,"method":"eth_feeHistory","params":["0x1","latest",[]]}
<< {"id":1,"jsonrpc":"2.0","result":{"baseFeePerBlobGas":["0x0","0x0"],"baseFeePerGas":["0x12309ce54000","0x12309ce54000"],"blobGasUsedRatio":[0],"gasUsedRatio":[0.0002],"oldestBlock":"0x1"}}
