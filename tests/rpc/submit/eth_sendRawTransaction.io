// spec: rpc 8: eth_sendRawTransaction
>> {"jsonrpc":"2.0","id":1,"method":"eth_sendRawTransaction","params":["${good}"]}
<< {"id":1,"jsonrpc":"2.0","result":"<hash>"}
>> {"jsonrpc":"2.0","id":1,"method":"eth_sendRawTransaction","params":["${good}"]}
<< {"error":{"code":-32000,"message":"nonce too low: next nonce 1, tx nonce 0"},"id":1,"jsonrpc":"2.0"}
>> {"jsonrpc":"2.0","id":1,"method":"eth_sendRawTransaction","params":["${low tip}"]}
<< {"error":{"code":-32000,"message":"transaction underpriced: gas tip cap 27599999999999, minimum needed 27600000000000"},"id":1,"jsonrpc":"2.0"}
