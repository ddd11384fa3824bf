// spec: wbft 3.4: istanbul_epochInfo
>> {"jsonrpc":"2.0","id":1,"method":"istanbul_epochInfo","params":["latest"]}
<< {"id":1,"jsonrpc":"2.0","result":{"candidates":[{"addr":"<address>","diligence":"0x1cfde0"}],"next":"0xa","number":"0x0","validators":[{"addr":"<address>","bls":"<data>","index":"0x0"}]}}
>> {"jsonrpc":"2.0","id":1,"method":"istanbul_epochInfo","params":["0xffff"]}
<< {"error":{"code":-32000,"message":"unknown block"},"id":1,"jsonrpc":"2.0"}
