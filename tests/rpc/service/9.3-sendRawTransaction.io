// spec: rpc 9.3, 8.1: eth_sendRawTransaction refuses
>> {"jsonrpc":"2.0","id":1,"method":"eth_sendRawTransaction","params":["${low tip}"]}
<< {"error":{"code":-32000,"message":"transaction underpriced: gas tip cap 27599999999999, minimum needed 27600000000000"},"id":1,"jsonrpc":"2.0"}
>> {"jsonrpc":"2.0","id":1,"method":"eth_sendRawTransaction","params":["${mined tx}"]}
<< {"error":{"code":-32000,"message":"nonce too low: next nonce 1, tx nonce 0"},"id":1,"jsonrpc":"2.0"}
>> {"jsonrpc":"2.0","id":1,"method":"eth_sendRawTransaction","params":["${unsigned}"]}
<< {"error":{"code":-32000,"message":"invalid sender: invalid transaction v, r, s values"},"id":1,"jsonrpc":"2.0"}
>> {"jsonrpc":"2.0","id":1,"method":"eth_sendRawTransaction","params":["${foreign}"]}
<< {"error":{"code":-32000,"message":"invalid sender: invalid chain id for signer: this chain has ID 1337, the transaction is signed for 1: sign it for chain ID 1337"},"id":1,"jsonrpc":"2.0"}
>> {"jsonrpc":"2.0","id":1,"method":"eth_sendRawTransaction","params":["0x"]}
<< {"error":{"code":-32000,"message":"typed transaction too short: give all bytes of the signed transaction, in hexadecimal after 0x"},"id":1,"jsonrpc":"2.0"}
>> {"jsonrpc":"2.0","id":1,"method":"eth_sendRawTransaction","params":["0x7f"]}
<< {"error":{"code":-32000,"message":"typed transaction too short: give all bytes of the signed transaction, in hexadecimal after 0x"},"id":1,"jsonrpc":"2.0"}
>> {"jsonrpc":"2.0","id":1,"method":"eth_sendRawTransaction","params":["0x16c0"]}
<< {"error":{"code":-32000,"message":"rlp: too few elements: a fee-delegated transaction is 0x16 and the RLP of [[the sender's twelve fields], fee payer, v, r, s], complete and without further bytes"},"id":1,"jsonrpc":"2.0"}
